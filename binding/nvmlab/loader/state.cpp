// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/loader/state.hpp"

#include "nvmlab/loader/function_names.hpp"

namespace nvml::detail {

constinit NoState no_state;

Shared refused(Error why) {
  auto* const state = new State{Absence::refused};
  Shared shared{state};
  state->refusal.emplace(std::move(why));
  return shared;
}

void* State::symbol(const char* name) const noexcept {
  const std::size_t at = index_of(name);
  return at < kFunctionCount ? entry(functions, at) : nullptr;
}

std::size_t index_of(std::string_view name) noexcept {
  std::size_t at = 0;
  while (at < kFunctionCount && function_names[at] != name)
    ++at;
  return at;
}

const char* function_name(std::size_t slot) noexcept { return function_names[slot / sizeof(AnyFunction*)]; }

Error failure(const State& state, std::size_t slot, abi::nvmlReturn_t code) noexcept {
  const char* name = function_name(slot);
  if (code != abi::NVML_SUCCESS) return {static_cast<Return>(code), Origin::driver, name};
  switch (state.absence) {
    case Absence::fork:
      return {static_cast<Return>(abi::NVML_ERROR_UNINITIALIZED), Origin::fork, name};
    case Absence::closed:
      return {static_cast<Return>(abi::NVML_ERROR_UNINITIALIZED), Origin::binding, name};
    case Absence::moved:
      return {static_cast<Return>(abi::NVML_ERROR_UNINITIALIZED), Origin::binding, name,
              "the object has no library: it was moved from, or made without one"};
    case Absence::refused:
      return *state.refusal;
    case Absence::symbol:
      break;
  }
  return {static_cast<Return>(abi::NVML_ERROR_FUNCTION_NOT_FOUND), Origin::symbol, name};
}

}  // namespace nvml::detail
