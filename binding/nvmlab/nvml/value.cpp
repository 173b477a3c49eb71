// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/value.hpp"

#include <utility>

#include "nvmlab/nvml/id_type.hpp"

namespace nvml::inline v1::detail {

std::optional<Value> value_of(abi::nvmlValueType_t type, const abi::nvmlValue_t& c) noexcept {
  switch (type) {
    case abi::NVML_VALUE_TYPE_DOUBLE:
      return c.dVal;
    case abi::NVML_VALUE_TYPE_UNSIGNED_INT:
      return c.uiVal;
    case abi::NVML_VALUE_TYPE_UNSIGNED_LONG:
      return std::uint64_t{c.ulVal};
    case abi::NVML_VALUE_TYPE_UNSIGNED_LONG_LONG:
      return std::uint64_t{c.ullVal};
    case abi::NVML_VALUE_TYPE_SIGNED_LONG_LONG:
      return std::int64_t{c.sllVal};
    case abi::NVML_VALUE_TYPE_SIGNED_INT:
      return c.siVal;
    case abi::NVML_VALUE_TYPE_UNSIGNED_SHORT:
      return std::uint16_t{c.usVal};
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> as_signed(const Value& value) noexcept {
  return std::visit(
      [](auto held) -> std::optional<std::int64_t> {
        if constexpr (std::is_floating_point_v<decltype(held)>) {
          constexpr double kBeyond = 9223372036854775808.0;  // 2^63
          return held >= -kBeyond && held < kBeyond ? std::optional{static_cast<std::int64_t>(held)} : std::nullopt;
        } else {
          return std::in_range<std::int64_t>(held) ? std::optional{static_cast<std::int64_t>(held)} : std::nullopt;
        }
      },
      value);
}

std::optional<std::uint64_t> as_unsigned(const Value& value) noexcept {
  return std::visit(
      [](auto held) -> std::optional<std::uint64_t> {
        if constexpr (std::is_floating_point_v<decltype(held)>) {
          constexpr double kBeyond = 18446744073709551616.0;  // 2^64
          return held >= 0 && held < kBeyond ? std::optional{static_cast<std::uint64_t>(held)} : std::nullopt;
        } else {
          return std::in_range<std::uint64_t>(held) ? std::optional{static_cast<std::uint64_t>(held)} : std::nullopt;
        }
      },
      value);
}

}  // namespace nvml::inline v1::detail
