// SPDX-License-Identifier: Apache-2.0
//
// The verdicts that read: outputs come from the state (shapes/outputs.hpp, items.hpp), behind what stands before them
// (gates.hpp). All parts of one call come from one consistent snapshot, and nothing is written unless every one of them
// has a value, so a refused call leaves the caller's memory alone.
#pragma once

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
template <class State, class Source>
[[gnu::always_inline]] inline bool hand_over(const Latched<State>& slot, const TextOutput<Source>& part,
                                             nvmlReturn_t& code) {
  const std::uint64_t before = __atomic_load_n(&slot.sequence, __ATOMIC_ACQUIRE);
  const auto& text = part.source.in(copy_in(slot, before));
  const std::uint64_t head = __atomic_load_n(reinterpret_cast<const AliasedWord*>(&text), __ATOMIC_ACQUIRE);
  const auto head_of_text = __builtin_bit_cast(TextHead, head);
  code = part.verdict(head_of_text);
  if (code == NVML_SUCCESS) [[likely]]
    copy_text(part.to, text.data, head_of_text.length + 1);
  return is_still(slot.sequence, before);
}
template <class State, class Source>
inline nvmlReturn_t answer_at_rest(const Latched<State>& slot, const TextOutput<Source>& part) {
  nvmlReturn_t code = NVML_SUCCESS;
  while (!hand_over(slot, part, code)) {
  }
  return code;
}

// Keeps GCC from merging two conditions into one value, which takes two instructions more than two branches.
[[gnu::always_inline]] inline void keep_branches_apart() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

// For the fast path, which leaves to the slow one what takes more than one try: a loop would keep in registers what it
// begins with.
template <class State, class Source>
[[gnu::always_inline]] inline nvmlReturn_t try_once(const Latched<State>& slot, const TextOutput<Source>& part) {
  nvmlReturn_t code = NVML_SUCCESS;
  if (!hand_over(slot, part, code)) [[unlikely]]
    return kMovingCode;
  keep_branches_apart();
  return code;
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

// Reads a field of a MIG device for a function that reads fields of a GPU; `arguments` are the words of the trace
// (hooks/mig_devices.cpp).
nvmlReturn_t answer_of_mig_device(Function function, const Device& device, const std::uint64_t* arguments);

template <class... Arguments>
nvmlReturn_t answer_of_mig_device(Function function, const Device& device, const Args<Arguments...>& call) {
  return std::apply(
      [&](Arguments... each) {
        const std::uint64_t words[] = {trace_word(each)...};
        return answer_of_mig_device(function, device, words);
      },
      call.values);
}

// The whole prologue, then the parts.
template <Function F, class... Arguments, class... Parts>
nvmlReturn_t read_any_device(const Args<Arguments...>& call, const Parts&... parts) {
  nvmlReturn_t code = NVML_SUCCESS;
  Store* store = enter<F>(code);
  if (store == nullptr) return code;
  if (code = check_all(parts...); code != NVML_SUCCESS) return code;
  Subject subject;
  code = reach_device(F, *store, call.device(), kTarget<F>, &subject);
  if (code != NVML_SUCCESS) return code;
  if constexpr (on_mig_device(F) == OnMigDevice::own) {
    const Device device = device_of(*store, subject);
    if (device.is_mig()) return answer_of_mig_device(F, device, call);
  }
  return answer(*subject.slot, parts...);
}
template <Function F, class... Parts>
nvmlReturn_t read_any_node(const Parts&... parts) {
  nvmlReturn_t code = NVML_SUCCESS;
  const Store* store = enter<F>(code);
  if (store == nullptr) return code;
  if (code = check_all(parts...); code != NVML_SUCCESS) return code;
  if (functions_have_faults(*store)) {
    if (code = meet_faults(F, *store); code != NVML_SUCCESS) return code;
  }
  return answer(store->node, parts...);
}

// The slow paths take each argument and each part as a parameter of its own, in registers: so the fast path needs no
// stack frame.
template <Function F, class... Arguments>
struct SlowPath {
  template <class... Parts>
  [[gnu::noinline, gnu::cold]] static nvmlReturn_t read(Arguments... each, Parts... parts) {
    const Args<Arguments...> call{{each...}};
    return finish<F>(call, read_any_device<F>(call, parts...));
  }
  template <class... Parts>
  [[gnu::noinline, gnu::cold]] static nvmlReturn_t read_node(Arguments... each, Parts... parts) {
    return finish<F>(args(each...), read_any_node<F>(parts...));
  }
};
template <Function F, class... Arguments, class... Parts>
[[gnu::always_inline]] inline nvmlReturn_t read_slow_path(const Args<Arguments...>& call, Parts... parts) {
  return std::apply(
      [&](Arguments... each)
          __attribute__((always_inline)) { return SlowPath<F, Arguments...>::read(each..., parts...); },
      call.values);
}
template <Function F, class... Arguments, class... Parts>
[[gnu::always_inline]] inline nvmlReturn_t read_node_slow_path(const Args<Arguments...>& call, Parts... parts) {
  return std::apply(
      [&](Arguments... each)
          __attribute__((always_inline)) { return SlowPath<F, Arguments...>::read_node(each..., parts...); },
      call.values);
}

// Reads a GPU that the process knows, and a field that changes with a load, or that another process was changing. The
// call itself has been checked.
template <class... Parts>
[[gnu::noinline]] nvmlReturn_t read_moving(const GpuSlot& slot, Parts... parts) {
  return answer_moving(slot, parts...);
}

// Nearly every call comes from an initialized process, with good arguments, for a GPU that the process has used before.
// Such a call needs no stack frame; all others take the slow path from the beginning.
template <Function F, class... Arguments, class... Parts>
[[gnu::always_inline]] inline nvmlReturn_t read(Args<Arguments...> call, Parts... parts) {
  const std::uint64_t* handle = known_handle(call.device());
  if (!is_handle(handle, call.device())) [[unlikely]]
    return read_slow_path<F>(call, parts...);
  keep_branches_apart();
  if (!present<F>() || check_all(parts...) != NVML_SUCCESS) [[unlikely]]
    return read_slow_path<F>(call, parts...);
  const nvmlReturn_t code = try_once(slot_of(handle), parts...);
  if (code == kMovingCode) [[unlikely]]
    return read_moving(slot_of(handle), parts...);
  return code;
}

template <Function F, class... Arguments, class... Parts>
[[gnu::always_inline]] inline nvmlReturn_t read_node(Args<Arguments...> call, Parts... parts) {
  const Store* store = enter_fast_path<F>();
  if (store == nullptr || functions_have_faults(*store) || check_all(parts...) != NVML_SUCCESS) [[unlikely]]
    return read_node_slow_path<F>(call, parts...);
  return answer(store->node, parts...);
}

}  // namespace nvmlab::driver
