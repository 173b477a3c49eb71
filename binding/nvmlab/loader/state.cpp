// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/loader/state.hpp"

#include "nvmlab/loader/function_names.hpp"

namespace nvml::detail {

Error failure(const State& state, std::size_t slot, abi::nvmlReturn_t code) noexcept {
  const char* name = function_names[slot / sizeof(AnyFunction*)];
  if (code != abi::NVML_SUCCESS) return {static_cast<Return>(code), Origin::driver, name};
  if (state.forked) return {static_cast<Return>(abi::NVML_ERROR_UNINITIALIZED), Origin::fork, name};
  return {static_cast<Return>(abi::NVML_ERROR_FUNCTION_NOT_FOUND), Origin::symbol, name};
}

}  // namespace nvml::detail
