// SPDX-License-Identifier: Apache-2.0
//
// The parts of a call, which run in order: each checks its argument (`check`), fetches from the state (`fetch_into`),
// says whether that is a value (`verdict`) and writes it (`deliver`). Here are the functions that run all parts, and
// the part that most getters have; shapes/outputs.hpp, items.hpp and gates.hpp have the others.
#pragma once

#include "drivers/nvml/shapes/fields.hpp"

namespace nvmlab::driver {

// A tuple without <tuple>: one fetched fact and the rest.
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

// A plain pointer: `unsigned int* power`.
template <class T, class Source, bool Optional>
struct Scalar {
  using Value = typename Source::Value;
  T* to;
  [[no_unique_address]] Source source;

  nvmlReturn_t check() const { return to == nullptr && !Optional ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS; }
  bool wanted() const { return to != nullptr; }
  template <class State>
  [[gnu::always_inline]] void fetch_into(Value& fact, const State& state) const {
    source.fetch_into(fact, state);
  }
  nvmlReturn_t verdict(const Value& fact) const {
    return to == nullptr ? NVML_SUCCESS : static_cast<nvmlReturn_t>(fact.code());
  }
  void deliver(const Value& fact) const {
    if (to != nullptr) *to = static_cast<T>(fact.value);
  }
};

// scalar<&Gpu::power, &Power::draw_mw>(power), or scalar(power, or_zero<...>): all outputs have both forms.
template <class T, class Source>
Scalar<T, Source, false> scalar(T* to, Source source) {
  return {to, source};
}
template <auto First, auto... Path, class T>
Scalar<T, Field<First, Path...>, false> scalar(T* to) {
  return {to, {}};
}
// The caller may pass null: nvidia-smi reads the current driver model without the pending one.
template <class T, class Source>
Scalar<T, Source, true> optional_scalar(T* to, Source source) {
  return {to, source};
}
template <auto First, auto... Path, class T>
Scalar<T, Field<First, Path...>, true> optional_scalar(T* to) {
  return {to, {}};
}

}  // namespace nvmlab::driver
