// SPDX-License-Identifier: Apache-2.0
//
// The verdict `read`: outputs come from state fields. All outputs of one call come from one consistent snapshot, and
// nothing is written unless every one of them has a value, so a refused call leaves the caller's memory alone.
#pragma once

#include "drivers/nvml/shapes/outputs.hpp"
#include "drivers/nvml/shapes/prologue.hpp"

namespace nvmlab::driver {

// A tuple without <tuple>: one fetched fact beside the rest.
template <class... Facts>
struct Fetched {};
template <class First, class... Rest>
struct Fetched<First, Rest...> {
  First first;
  Fetched<Rest...> rest;
};

template <class State>
void fetch_all(Fetched<>&, const State&) {}
template <class Facts, class State, class First, class... Rest>
[[gnu::always_inline]] inline void fetch_all(Facts& facts, const State& state, const First& first,
                                             const Rest&... rest) {
  fetch_into(facts.first, state, first);
  fetch_all(facts.rest, state, rest...);
}

inline nvmlReturn_t verdict_all(const Fetched<>&) { return NVML_SUCCESS; }
template <class Facts, class First, class... Rest>
nvmlReturn_t verdict_all(const Facts& facts, const First& first, const Rest&... rest) {
  const nvmlReturn_t code = first.verdict(facts.first);
  return code != NVML_SUCCESS ? code : verdict_all(facts.rest, rest...);
}

inline void deliver_all(const Fetched<>&) {}
template <class Facts, class First, class... Rest>
void deliver_all(const Facts& facts, const First& first, const Rest&... rest) {
  first.deliver(facts.first);
  deliver_all(facts.rest, rest...);
}

template <class... Outputs>
nvmlReturn_t check_all(const Outputs&... outputs) {
  nvmlReturn_t code = NVML_SUCCESS;
  // The first complaint wins, in the order of the parameters.
  (void)(((code = outputs.check()) == NVML_SUCCESS) && ...);
  // Each of several outputs may be left out, but not all of them.
  if (code == NVML_SUCCESS && !(outputs.wanted() || ...)) code = NVML_ERROR_INVALID_ARGUMENT;
  return code;
}

template <class State, class... Outputs>
[[gnu::always_inline]] inline nvmlReturn_t answer(const Latched<State>& slot, const Outputs&... outputs) {
  Fetched<decltype(outputs.fetch(slot.copies[0]))...> facts;
  consistent(slot, [&](const State& state) {
    fetch_all(facts, state, outputs...);
    return true;
  });
  const nvmlReturn_t code = verdict_all(facts, outputs...);
  if (code == NVML_SUCCESS) deliver_all(facts, outputs...);
  return code;
}

template <Function F, class... Outputs>
[[gnu::always_inline]] inline nvmlReturn_t read(nvmlDevice_t device, const Outputs&... outputs) {
  nvmlReturn_t code = NVML_SUCCESS;
  Store* store = enter<F>(code);
  if (store == nullptr) return code;
  if (code = check_all(outputs...); code != NVML_SUCCESS) return code;
  const GpuSlot* slot = device_slot(*store, device);
  if (slot == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return answer(*slot, outputs...);
}

template <Function F, class... Outputs>
[[gnu::always_inline]] inline nvmlReturn_t read_node(const Outputs&... outputs) {
  nvmlReturn_t code = NVML_SUCCESS;
  Store* store = enter<F>(code);
  if (store == nullptr) return code;
  if (code = check_all(outputs...); code != NVML_SUCCESS) return code;
  return answer(store->node, outputs...);
}

// One of several fields, chosen by an enumerator that the caller passes.
inline constexpr std::size_t kNoField = ~std::size_t{0};  // a choice that exists and that no board supports

struct Case {
  long long key;
  std::size_t offset;
};

template <Function F, class MakeOutput, std::size_t N>
[[gnu::always_inline]] inline nvmlReturn_t read_chosen(nvmlDevice_t device, long long key, const Case (&cases)[N],
                                                       nvmlReturn_t otherwise, MakeOutput make_output) {
  nvmlReturn_t code = NVML_SUCCESS;
  Store* store = enter<F>(code);
  if (store == nullptr) return code;
  if (code = make_output(0).check(); code != NVML_SUCCESS) return code;
  const GpuSlot* slot = device_slot(*store, device);
  if (slot == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  for (const Case& each : cases) {
    if (each.key != key) continue;
    return each.offset == kNoField ? NVML_ERROR_NOT_SUPPORTED : answer(*slot, make_output(each.offset));
  }
  return otherwise;
}

}  // namespace nvmlab::driver
