// SPDX-License-Identifier: Apache-2.0
// What several parts of one call (shapes/outputs.hpp) fetch, ask and deliver, one after the other.
#pragma once

#include "drivers/nvml/process.hpp"

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
  first.fetch_into(facts.first, state);
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

template <class... Parts>
nvmlReturn_t check_all(const Parts&... parts) {
  nvmlReturn_t code = NVML_SUCCESS;
  // The first complaint wins, in the order of the parameters.
  (void)(((code = parts.check()) == NVML_SUCCESS) && ...);
  // Each of several outputs may be left out, but not all of them.
  if (code == NVML_SUCCESS && !(parts.wanted() || ...)) code = NVML_ERROR_INVALID_ARGUMENT;
  return code;
}

}  // namespace nvmlab::driver
