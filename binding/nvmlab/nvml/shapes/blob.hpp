// SPDX-License-Identifier: Apache-2.0
// Structs with a block of bytes behind them, of a size that the driver tells. Covered by tests/binding/lists_test.cpp.
#pragma once

#include "nvmlab/nvml/shapes/call.hpp"
#include "nvmlab/nvml/shapes/lists.hpp"

namespace nvml::inline v1::detail {

// `T` is made of the bytes by its from_c, which says whether they are whole.
template <class T, class F, class Ask>
Result<T> blob(const State& state, F* Functions::*slot, Ask&& ask) {
  bool whole = false;
  auto made = list_raw<std::byte>(state, slot, {Protocol::A}, ask, [&](std::span<const std::byte> bytes) {
    T value{};
    whole = from_c(bytes, value);
    return value;
  });
  if (made && !whole) {
    return unexpected(Error{Return{abi::NVML_ERROR_UNKNOWN}, Origin::binding, function_name(slot_offset(slot)),
                            "less than the struct says that it is"});
  }
  return made;
}

}  // namespace nvml::inline v1::detail
