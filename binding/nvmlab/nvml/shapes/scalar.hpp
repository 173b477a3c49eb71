// SPDX-License-Identifier: Apache-2.0
// Methods that answer one number, enumerator or flag: inline in their class, so that they cost what the raw pointer
// costs. C is what the function writes, T what the method returns. Covered by tests/binding/methods_scalar_test.cpp.
#pragma once

#include <optional>

#include "nvmlab/nvml/shapes/call.hpp"
#include "nvmlab/nvml/shapes/families.hpp"

namespace nvml::inline v1::detail {

template <class T, class C, class F, class... In>
[[gnu::always_inline]] inline Result<T> scalar(const State& state, F* Functions::*slot, const In&... in) {
  F* const function = state.functions.*slot;
  if (function == nullptr) [[unlikely]]
    return unexpected(failure(state, slot_offset(slot), abi::NVML_SUCCESS));
  C value{};
  if (const abi::nvmlReturn_t code = function(in..., &value); code != abi::NVML_SUCCESS) [[unlikely]]
    return unexpected(failure(state, slot_offset(slot), code, {in...}));
  return typed_as<T>(value);
}

// Where one value means that there is none.
template <class T, class C, class F, class... In>
[[gnu::always_inline]] inline Result<std::optional<T>> scalar_or_nothing(const State& state, F* Functions::*slot,
                                                                         C nothing, const In&... in) {
  const auto value = scalar<C, C>(state, slot, in...);
  if (!value) [[unlikely]]
    return unexpected(value.error());
  if (*value == nothing) return std::nullopt;
  return typed_as<T>(*value);
}

}  // namespace nvml::inline v1::detail
