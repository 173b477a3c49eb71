// SPDX-License-Identifier: Apache-2.0
// Arrays whose size goes in by value: the sets of CPUs and NUMA nodes, counted in words of `unsigned long`, and the
// performance states, counted in bytes. Covered by tests/binding/affinity_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "nvmlab/nvml/index_set.hpp"
#include "nvmlab/nvml/shapes/call.hpp"
#include "nvmlab/nvml/shapes/lists.hpp"

namespace nvml::inline v1::detail {

// As many CPUs as Linux can be built for. NVML cuts off what does not fit, so less could lose some.
inline constexpr std::size_t kMostCpus = 8192;

// `once(f, words, set)` calls the C function.
template <class F, class Once>
Result<IndexSet> index_set(const State& state, F* Functions::*slot, Once&& once) {
  F* const function = state.functions.*slot;
  if (function == nullptr) return no_list(state, slot, abi::NVML_SUCCESS);
  std::array<unsigned long, kMostCpus / IndexSet::kBits> words{};
  if (const abi::nvmlReturn_t code = once(function, static_cast<unsigned>(words.size()), words.data());
      code != abi::NVML_SUCCESS)
    return no_list(state, slot, code);
  return IndexSet{words};
}

// Into the caller's words; zeros at their end are an answer too.
template <class F, class Once>
Result<IndexView> index_set_into(const State& state, F* Functions::*slot, std::span<unsigned long> room, Once&& once) {
  F* const function = state.functions.*slot;
  if (function == nullptr) return no_list(state, slot, abi::NVML_SUCCESS);
  const auto words = static_cast<unsigned>(std::min<std::size_t>(room.size(), 0xFFFFFFFF));
  if (const abi::nvmlReturn_t code = once(function, words, room.data()); code != abi::NVML_SUCCESS)
    return no_list(state, slot, code);
  return IndexView{room.first(words)};
}

// States up to the first that is none: the rest of the room is filled with "unknown". `once(f, bytes, states)`. No
// board has more than kMostStates, and drivers fill all that they are lent.
inline constexpr std::size_t kMostStates = abi::MAX_GPU_PERF_PSTATES;

template <class T, class F, class Once>
Result<std::span<T>> states_into(const State& state, F* Functions::*slot, std::span<T> room, Once&& once) {
  F* const function = state.functions.*slot;
  if (function == nullptr) return no_list(state, slot, abi::NVML_SUCCESS);
  std::array<abi::nvmlPstates_t, kMostStates> lent{};
  lent.fill(abi::NVML_PSTATE_UNKNOWN);
  const std::size_t most = std::min(room.size(), kMostStates);
  if (const abi::nvmlReturn_t code = once(function, static_cast<unsigned>(most * sizeof lent[0]), lent.data());
      code != abi::NVML_SUCCESS)
    return not_filled(state, slot, code, room.size(), 0);
  std::size_t filled = 0;
  for (; filled < most && lent[filled] != abi::NVML_PSTATE_UNKNOWN; ++filled)
    room[filled] = static_cast<T>(lent[filled]);
  return room.first(filled);
}

template <class T, class F, class Once>
Result<std::vector<T>> states(const State& state, F* Functions::*slot, Once&& once) {
  std::array<T, kMostStates> room{};
  const auto filled = states_into<T>(state, slot, room, once);
  if (!filled) return unexpected(filled.error());
  return std::vector<T>(filled->begin(), filled->end());
}

}  // namespace nvml::inline v1::detail
