// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/loader/state.hpp"

#include <string_view>

#include "nvmlab/loader/function_names.hpp"

namespace nvml::detail {

void* State::symbol(const char* name) const noexcept {
  for (std::size_t at = 0; at < kFunctionCount; ++at) {
    if (std::string_view{function_names[at]} == name) return entry(functions, at);
  }
  return nullptr;
}

Error failure(const State& state, std::size_t slot, abi::nvmlReturn_t code) noexcept {
  const char* name = function_names[slot / sizeof(AnyFunction*)];
  if (code != abi::NVML_SUCCESS) return {static_cast<Return>(code), Origin::driver, name};
  switch (state.absence) {
    case Absence::fork:
      return {static_cast<Return>(abi::NVML_ERROR_UNINITIALIZED), Origin::fork, name};
    case Absence::closed:
      return {static_cast<Return>(abi::NVML_ERROR_UNINITIALIZED), Origin::binding, name};
    case Absence::symbol:
      break;
  }
  return {static_cast<Return>(abi::NVML_ERROR_FUNCTION_NOT_FOUND), Origin::symbol, name};
}

}  // namespace nvml::detail
