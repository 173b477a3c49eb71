// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/loader/state.hpp"

#include "nvmlab/loader/advice.hpp"
#include "nvmlab/loader/driver_release.hpp"
#include "nvmlab/loader/function_names.hpp"
#include "nvmlab/loader/given.hpp"

namespace nvml::inline v1::detail {

#ifdef __clang__
[[clang::no_destroy]]
#endif
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

State::~State() { forget_devices(*this); }

namespace {

// Asked for once: what is not there is asked for again and again.
std::uint32_t known_release(const State& state) noexcept {
  std::uint32_t release = state.release.load();
  if (release == 0) state.release.store(release = release_of(state));
  return release;
}

Error absent(const State& state, const char* name) {
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
  return Error{static_cast<Return>(abi::NVML_ERROR_FUNCTION_NOT_FOUND), Origin::symbol, name}.with_driver(
      known_release(state));
}

}  // namespace

std::uint32_t release_of(const State& state) noexcept {
  char text[abi::SYSTEM_DRIVER_VERSION_BUFFER_SIZE] = {};
  const auto ask = state.functions.nvmlSystemGetDriverVersion;
  if (ask == nullptr || ask(text, sizeof text - 1) != abi::NVML_SUCCESS) return 0;
  return driver_release(text);
}

Error about(const State& state, const FailedItem& item, const Error& error) noexcept {
  const Error same = error.with_item(item);
  return first_driver(item) == 0 ? same : same.with_driver(known_release(state));
}

Error failure(const State& state, std::size_t slot, abi::nvmlReturn_t code, Arguments arguments) noexcept {
  const char* name = function_name(slot);
  if (code == abi::NVML_SUCCESS) return absent(state, name);
  Error error{static_cast<Return>(code), Origin::driver, name};
  for (const Argument& argument : arguments) {
    if (argument.device() != nullptr) error = about(state, argument.device(), error);
  }
  if (code == abi::NVML_ERROR_INVALID_ARGUMENT) {
    if (std::string given = what_was_given(state, slot / sizeof(AnyFunction*), arguments); !given.empty())
      error = error.with_detail(std::move(given));
  }
  return error;
}

}  // namespace nvml::inline v1::detail
