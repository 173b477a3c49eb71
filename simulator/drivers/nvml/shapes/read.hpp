// SPDX-License-Identifier: Apache-2.0
//
// The verdicts that read: outputs come from the state (shapes/outputs.hpp, items.hpp), behind what stands before them
// (gates.hpp). All parts of one call come from one consistent snapshot, and nothing is written unless every one of them
// has a value, so a refused call leaves the caller's memory alone.
#pragma once

#include "drivers/nvml/shapes/choices.hpp"
#include "drivers/nvml/shapes/fetched.hpp"
#include "drivers/nvml/shapes/gates.hpp"
#include "drivers/nvml/shapes/items.hpp"
#include "drivers/nvml/shapes/moving.hpp"
#include "drivers/nvml/shapes/outputs.hpp"
#include "drivers/nvml/shapes/prologue.hpp"

namespace nvmlab::driver {

// What gates and outputs say of a state, without handing anything over.
template <class State, class... Parts>
[[gnu::always_inline]] inline nvmlReturn_t verdict_in(const State& state, const Parts&... parts) {
  Fetched<typename Parts::Value...> facts;
  fetch_all(facts, state, parts...);
  return verdict_all(facts, parts...);
}

// Behind a prologue: what the parts make of the state of a GPU that stands still; of one that moves, kMovingCode.
template <class State, class... Parts>
[[gnu::always_inline]] inline nvmlReturn_t answer_at_rest(const Latched<State>& slot, const Parts&... parts) {
  Fetched<typename Parts::Value...> facts;
  consistent(slot, [&](const State& state) {
    fetch_all(facts, state, parts...);
    return true;
  });
  const nvmlReturn_t code = verdict_all(facts, parts...);
  if (code == NVML_SUCCESS) [[likely]]
    deliver_all(facts, parts...);
  return code;
}

// A text alone goes straight to the caller: a copy in between would be half of such a call. False where somebody
// published another state at that very moment; then it is handed over once more.
template <class State, std::uint32_t N>
[[gnu::always_inline]] inline bool hand_over(const Latched<State>& slot, const TextOutput<At<Text<N>>>& part,
                                             nvmlReturn_t& code) {
  const std::uint64_t before = __atomic_load_n(&slot.sequence, __ATOMIC_ACQUIRE);
  const Text<N>& text = part.source.in(copy_in(slot, before));
  const std::uint64_t head = __atomic_load_n(reinterpret_cast<const AliasedWord*>(&text), __ATOMIC_ACQUIRE);
  const auto head_of_text = __builtin_bit_cast(TextHead, head);
  code = part.verdict(head_of_text);
  if (code == NVML_SUCCESS) [[likely]]
    copy_text(part.to, text.data, head_of_text.length + 1);
  return is_still(slot.sequence, before);
}
template <class State, std::uint32_t N>
inline nvmlReturn_t answer_at_rest(const Latched<State>& slot, const TextOutput<At<Text<N>>>& part) {
  nvmlReturn_t code = NVML_SUCCESS;
  while (!hand_over(slot, part, code)) {
  }
  return code;
}

// For the fast path, which leaves to the slow one what takes more than one try: a loop would keep in registers what it
// begins with.
template <class State, std::uint32_t N>
[[gnu::always_inline]] inline nvmlReturn_t try_once(const Latched<State>& slot, const TextOutput<At<Text<N>>>& part) {
  nvmlReturn_t code = NVML_SUCCESS;
  return hand_over(slot, part, code) ? code : kMovingCode;
}
template <class State, class... Parts>
[[gnu::always_inline]] inline nvmlReturn_t try_once(const Latched<State>& slot, const Parts&... parts) {
  Fetched<typename Parts::Value...> facts;
  const std::uint64_t before = __atomic_load_n(&slot.sequence, __ATOMIC_ACQUIRE);
  fetch_all(facts, copy_in(slot, before), parts...);
  if (!is_still(slot.sequence, before)) [[unlikely]]
    return kMovingCode;
  const nvmlReturn_t code = verdict_all(facts, parts...);
  if (code == NVML_SUCCESS) [[likely]]
    deliver_all(facts, parts...);
  return code;
}

// The same of any GPU, or of the node.
template <class State, class... Parts>
[[gnu::always_inline]] inline nvmlReturn_t answer(const Latched<State>& slot, const Parts&... parts) {
  const nvmlReturn_t code = answer_at_rest(slot, parts...);
  if constexpr (std::is_same_v<State, Gpu>) {
    if (code == kMovingCode) [[unlikely]]
      return answer_moving(slot, parts...);
  }
  return code;
}

// A generated export hands its parts over as a function that gives them to another one, so that they are put together
// where they are used and what a call never comes to costs it nothing.

// What a MIG device tells by a function that reads fields of a GPU; `arguments` as the trace has them
// (hooks/mig_devices.cpp).
nvmlReturn_t answer_of_mig_device(Function function, const Device& device, const std::uint64_t* arguments);

// The slow path: the whole prologue, and the trace.
template <Function F, class Parts, class... Words>
[[gnu::noinline, gnu::cold]] nvmlReturn_t read_slow_path(nvmlDevice_t device, Parts parts, Words... words) {
  const auto call = traceable(words...);
  return finish<F>(call, parts([&, device](const auto&... each) {
                     nvmlReturn_t code = NVML_SUCCESS;
                     Store* store = enter<F>(code);
                     if (store == nullptr) return code;
                     if (code = check_all(each...); code != NVML_SUCCESS) return code;
                     Subject subject;
                     code = reach_device(F, *store, device, kTarget<F>, &subject);
                     if (code != NVML_SUCCESS) return code;
                     if constexpr (on_mig_device(F) == OnMigDevice::own) {
                       const Device asked = device_of(*store, subject);
                       if (asked.is_mig()) return answer_of_mig_device(F, asked, call.words);
                     }
                     return answer(*subject.slot, each...);
                   }));
}

// Of a GPU that the process knows, and of which what is asked for moves, or was being changed: there is no more to ask
// about the call itself.
template <class Parts>
[[gnu::noinline]] nvmlReturn_t read_moving(const GpuSlot& slot, Parts parts) {
  return parts([&slot](const auto&... each) { return answer_moving(slot, each...); });
}

template <Function F, class Parts, class... Words>
[[gnu::noinline, gnu::cold]] nvmlReturn_t read_node_slow_path(Parts parts, Words... words) {
  return finish<F>(traceable(words...), parts([](const auto&... each) {
                     nvmlReturn_t code = NVML_SUCCESS;
                     const Store* store = enter<F>(code);
                     if (store == nullptr) return code;
                     if (code = check_all(each...); code != NVML_SUCCESS) return code;
                     if (functions_have_faults(*store)) {
                       if (code = meet_faults(F, *store); code != NVML_SUCCESS) return code;
                     }
                     return answer(store->node, each...);
                   }));
}

// Nearly every call is one of an initialised process, with good arguments, of a GPU that was asked for before: that one
// is answered without a stack frame, and whatever else there is takes the slow path, from the beginning.
template <Function F, std::size_t N, class Parts>
[[gnu::always_inline]] inline nvmlReturn_t read(const Traceable<N>& call, nvmlDevice_t device, const Parts& parts) {
  nvmlReturn_t code = NVML_SUCCESS;
  const std::uint64_t* handle = known_handle(device);
  const bool answered = parts([&](const auto&... each) {
    if (!is_handle(handle, device) || !present<F>() || check_all(each...) != NVML_SUCCESS) [[unlikely]]
      return false;
    code = try_once(slot_of(handle), each...);
    return code != kMovingCode;
  });
  if (answered) [[likely]]
    return code;
  if (code == kMovingCode) return read_moving(slot_of(handle), parts);
  return call.spread([&](auto... words) { return read_slow_path<F>(device, parts, words...); });
}

template <Function F, std::size_t N, class Parts>
[[gnu::always_inline]] inline nvmlReturn_t read_node(const Traceable<N>& call, const Parts& parts) {
  nvmlReturn_t code = NVML_SUCCESS;
  const bool answered = parts([&](const auto&... each) {
    const Store* store = enter_fast_path<F>();
    if (store == nullptr || functions_have_faults(*store) || check_all(each...) != NVML_SUCCESS) [[unlikely]]
      return false;
    code = answer(store->node, each...);
    return true;
  });
  if (answered) [[likely]]
    return code;
  return call.spread([&](auto... words) { return read_node_slow_path<F>(parts, words...); });
}

}  // namespace nvmlab::driver
