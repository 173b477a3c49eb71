// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/value.hpp"

namespace nvml::detail {

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

}  // namespace nvml::detail
