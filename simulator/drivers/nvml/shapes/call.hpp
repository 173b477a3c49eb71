// SPDX-License-Identifier: Apache-2.0
//
// The verdicts `call` (a person wrote the body; the generator declares it in generated/hooks.hpp and the linker names
// it until it exists), `unsupported`, and the checks on arguments that both share with the rest.
#pragma once

#include "drivers/nvml/shapes/prologue.hpp"

namespace nvmlab::driver {

template <class... Pointers>
bool any_null(const Pointers*... pointers) {
  return ((pointers == nullptr) || ...);
}

// A version word, and the drivers that know it; those of an earlier time take it for a mistake.
struct DriverWord {
  // NOLINTNEXTLINE(google-explicit-constructor): a word alone is known to every driver that has the function
  constexpr DriverWord(std::uint32_t version_word, std::uint64_t known_in = kEveryDriver)
      : word(version_word), drivers(known_in) {}
  bool fits(std::uint32_t version) const {
    return version == word && (drivers == kEveryDriver || in_simulated_driver(drivers));
  }
  std::uint32_t word;
  std::uint64_t drivers;
};

// Not null, and with a version word that the struct's name has or had.
template <class Struct, std::size_t N>
struct KnownVersion {
  const Struct* argument;
  DriverWord words[N];
};

template <class Struct>
KnownVersion<Struct, 1> known_version(const Struct* argument) {
  return {argument, {version_of<Struct>}};
}
template <class Struct, class... Words>
KnownVersion<Struct, sizeof...(Words)> known_version(const Struct* argument, Words... words) {
  return {argument, {words...}};
}

// A number in place of a handle, of which zero is never one.
struct NonZero {
  std::uint32_t id;
};

inline NonZero nonzero(std::uint32_t id) { return {id}; }

inline nvmlReturn_t check_argument(const NonZero& argument) {
  return argument.id == 0 ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS;
}

template <class T>
nvmlReturn_t check_argument(const T* argument) {
  return argument == nullptr ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS;
}

template <class Struct, std::size_t N>
nvmlReturn_t check_argument(const KnownVersion<Struct, N>& known) {
  if (known.argument == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  for (const DriverWord& word : known.words) {
    if (word.fits(known.argument->version)) return NVML_SUCCESS;
  }
  return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
}

template <class... Arguments>
nvmlReturn_t check_arguments(const Arguments&... arguments) {
  nvmlReturn_t code = NVML_SUCCESS;
  (void)(((code = check_argument(arguments)) == NVML_SUCCESS) && ...);
  return code;
}

// A hook knows one layout of a struct. A caller that has another gets what both have: its members go into a struct of
// today (keys may be among them), and back when the hook is done.
// What an old layout says in a member that today's layout does not have.
template <class Now, class Old>
void say_the_old_way(const Now&, Old&) {}
inline void say_the_old_way(const nvmlGpuInstanceProfileInfo_v3_t& now, nvmlGpuInstanceProfileInfo_v2_t& old) {
  old.isP2pSupported = (now.capabilities & GPU_INSTANCE_PROFILE_CAPS_P2P) != 0;
}

template <class Old, class Now, class Body>
nvmlReturn_t in_old_layout(void* argument, Body&& body) {
  Old& callers = *static_cast<Old*>(argument);
  Now now{};
  carry(callers, now);
  const nvmlReturn_t code = body(&now);
  carry(now, callers);
  if (code == NVML_SUCCESS) say_the_old_way(now, callers);
  return code;
}

template <class Newest, class... Older, class Struct, class Body>
nvmlReturn_t in_newest_layout(Struct* argument, Body&& body) {
  const std::uint32_t word = argument->version;
  if (word == version_of<Newest>) return body(reinterpret_cast<Newest*>(argument));
  nvmlReturn_t code = NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  (void)((word == version_of<Older> && (code = in_old_layout<Older, Newest>(argument, body), true)) || ...);
  return code;
}

// `required` are the pointers that must not be null, or what else there is to check about them.
template <Function F, class Body, class... Arguments>
[[gnu::always_inline]] inline nvmlReturn_t call_device(nvmlDevice_t device, Body&& body, const Arguments&... required) {
  nvmlReturn_t code = NVML_SUCCESS;
  Store* store = enter<F>(code);
  if (store == nullptr) return code;
  if (code = check_arguments(required...); code != NVML_SUCCESS) return code;
  const std::uint64_t* known = known_handle(device);
  Subject subject;
  // Looked at again: others may have gone over to another machine meanwhile.
  if (is_handle(known, device) && current_store() == store) [[likely]] {
    subject.slot = &slot_of(known);
    subject.index = handle_index(reinterpret_cast<std::uint64_t>(device));
  } else {
    Subject found;  // in memory, which the subject of most calls need not lie in
    if (code = reach_device(F, *store, device, kTarget<F>, &found); code != NVML_SUCCESS) return code;
    subject = found;
  }
  return body(device_of(*store, subject));
}

template <Function F, class Body, class... Arguments>
[[gnu::always_inline]] inline nvmlReturn_t call_node(Body&& body, const Arguments&... required) {
  nvmlReturn_t code = NVML_SUCCESS;
  Store* store = enter<F>(code);
  if (store == nullptr) return code;
  if (code = check_arguments(required...); code != NVML_SUCCESS) return code;
  if (functions_have_faults(*store)) [[unlikely]] {
    if (code = meet_faults(F, *store); code != NVML_SUCCESS) return code;
  }
  return body(*store);
}

// The code of a function that is not simulated. Where MOCK_NVML_STRICT asks for it, a line names the function and the
// process ends, so that nobody takes the code for a board's.
nvmlReturn_t refused(Function function, nvmlReturn_t answer);

// Calls a body with the device or the machine; a hook takes the other arguments of the call, too.
template <class Body, class Receiver, class... Arguments>
[[gnu::always_inline]] inline nvmlReturn_t run_body(Body body, Receiver& receiver, const Args<Arguments...>& call) {
  if constexpr (std::is_invocable_v<Body, Receiver&>) {
    return body(receiver);
  } else if constexpr (Args<Arguments...>::kOfDevice) {
    return std::apply([&](nvmlDevice_t, auto... rest) { return body(receiver, rest...); }, call.values);
  } else {
    return std::apply([&](Arguments... each) { return body(receiver, each...); }, call.values);
  }
}

// Behind the prologue: a hook, or a body that the generator writes.
template <Function F, class... Arguments, class Body, class... Required>
[[gnu::always_inline]] inline nvmlReturn_t call(Args<Arguments...> arguments, Body body, Required... required) {
  if constexpr (Args<Arguments...>::kOfDevice) {
    const auto run = [&](const Device& gpu) { return run_body(body, gpu, arguments); };
    return finish<F>(arguments, call_device<F>(arguments.device(), run, required...));
  } else {
    const auto run = [&](Store& node) { return run_body(body, node, arguments); };
    return finish<F>(arguments, call_node<F>(run, required...));
  }
}

// Refuses with a fixed code; a bad handle still has its own code.
template <Function F, nvmlReturn_t Code = NVML_ERROR_NOT_SUPPORTED, class... Arguments, class... Required>
[[gnu::always_inline]] inline nvmlReturn_t refuse(Args<Arguments...> arguments, Required... required) {
  const auto refuse_all = [](const auto&) { return refused(F, Code); };
  return call<F>(arguments, refuse_all, required...);
}

}  // namespace nvmlab::driver
