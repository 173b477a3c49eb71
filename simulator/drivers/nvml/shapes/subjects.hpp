// SPDX-License-Identifier: Apache-2.0
//
// Functions of something that a number or a handle of its own names (`of` in model/meaning/): it is looked up, and the
// parts of shapes/outputs.hpp and gates.hpp take from it what they else take from the state of a GPU. look_up() finds
// one, with the code for a number or a handle of nothing in one place for all that is asked of it
// (shapes/vgpu_subjects.hpp). Tests: tests/drivers/functions/vgpu_host_test.cpp, mig_instances_test.cpp.
#pragma once

#include "drivers/nvml/shapes/mig_subjects.hpp"
#include "drivers/nvml/shapes/read.hpp"
#include "drivers/nvml/shapes/vgpu_subjects.hpp"

namespace nvmlab::driver {

template <class... Keys>
std::tuple<Keys...> keys(Keys... each) {
  return {each...};
}

// A value that is always there, of a type that is no number: a handle.
template <class T>
struct Given {
  T value;
  static bool has_value() { return true; }
  static std::uint32_t code() { return kSuccess; }
};

template <class T>
struct MadeValue {
  using Type = std::conditional_t<std::is_pointer_v<T>, Given<T>,
                                  Fact<std::conditional_t<(sizeof(T) > 4), std::uint64_t, std::uint32_t>>>;
  static void put(Type& to, T value) {
    if constexpr (std::is_pointer_v<T>) {
      to.value = value;
    } else {
      to.set(static_cast<decltype(to.value)>(value));
    }
  }
};
template <std::size_t N>
struct MadeValue<char[N]> {
  using Type = Text<N>;
  static void put(Type& to, const char* text) { to.set(text, static_cast<std::uint32_t>(__builtin_strlen(text))); }
};

template <class Thing, class T>
constexpr std::type_identity<T> type_behind(T (Thing::*)() const) {
  return {};
}
template <class Thing, class T>
constexpr std::type_identity<T> type_behind(T Thing::*) requires(!std::is_function_v<T>) {
  return {};
}

// A member of a struct that a rule of the engine made, or what a member function of it says.
template <auto Member>
struct Made {
  using Kind = MadeValue<typename decltype(type_behind(Member))::type>;
  using Value = typename Kind::Type;
  template <class Thing>
  void fetch_into(Value& value, const Thing& thing) const {
    if constexpr (std::is_member_function_pointer_v<decltype(Member)>) {
      Kind::put(value, (thing.*Member)());
    } else {
      Kind::put(value, thing.*Member);
    }
  }
};

// The argument is below what a member says.
template <class Source>
struct BelowMember : Gate {
  BelowMember(std::uint32_t given, Source from) : argument(given), limit(from) {}
  std::uint32_t argument;
  Source limit;

  using Value = typename Source::Value;
  template <class Thing>
  void fetch_into(Value& value, const Thing& thing) const {
    limit.fetch_into(value, thing);
  }
  nvmlReturn_t verdict(const Value& value) const {
    return argument < value.value ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
  }
};
template <auto Member>
BelowMember<Made<Member>> below(std::uint32_t argument, Made<Member> limit) {
  return {argument, limit};
}

// What is not simulated of it.
struct Refusal : Gate {
  Refusal(Function asked, nvmlReturn_t code) : function(asked), answer(code) {}
  Function function;
  nvmlReturn_t answer;
  nvmlReturn_t verdict(const Nothing&) const { return refused(function, answer); }
};
inline Refusal refusal(Function function, nvmlReturn_t answer) { return {function, answer}; }

// `receiver` is the machine, or the GPU where the function has a handle of one.
template <class Thing, class Receiver, class... Keys, class... Parts>
nvmlReturn_t answer_of(Receiver& receiver, const std::tuple<Keys...>& named_by, const Parts&... parts) {
  Thing thing{};
  nvmlReturn_t code = std::apply([&](const Keys&... each) { return look_up(receiver, each..., &thing); }, named_by);
  if (code != NVML_SUCCESS) return code;
  Fetched<typename Parts::Value...> facts;
  fetch_all(facts, thing, parts...);
  code = verdict_all(facts, parts...);
  if (code == NVML_SUCCESS) deliver_all(facts, parts...);
  return code;
}

// The pointers that must not be null, and what else call() checks before it looks anything up.
template <class... Each>
std::tuple<Each...> required(Each... each) {
  return {each...};
}

// Reads a thing that `named_by` names.
template <Function F, class Thing, class... Arguments, class... Required, class... Keys, class... Parts>
[[gnu::always_inline]] inline nvmlReturn_t read_thing(Args<Arguments...> arguments, std::tuple<Required...> checked,
                                                      std::tuple<Keys...> named_by, Parts... parts) {
  const auto body = [&](auto& receiver) { return answer_of<Thing>(receiver, named_by, parts...); };
  return std::apply([&](Required... each) { return call<F>(arguments, body, each...); }, checked);
}

}  // namespace nvmlab::driver
