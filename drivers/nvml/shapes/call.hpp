// SPDX-License-Identifier: Apache-2.0
//
// The verdicts `call` (a person wrote the body; the generator declares it in generated/hooks.hpp and the linker names
// it until it exists), `unsupported`, and the checks on arguments that both share with the rest.
#pragma once

#include "drivers/nvml/shapes/prologue.hpp"

namespace nvmlab::driver {

template <class... Pointers>
bool any_null(const Pointers*... pointers) {
  return ((pointers == nullptr) || ...);
}

// `required` are the pointers that must not be null.
template <Function F, class Body, class... Pointers>
nvmlReturn_t call_device(nvmlDevice_t device, Body&& body, const Pointers*... required) {
  nvmlReturn_t code;
  Store* store = enter<F>(code);
  if (store == nullptr) return code;
  if (any_null(required...)) return NVML_ERROR_INVALID_ARGUMENT;
  const GpuSlot* slot = device_slot(*store, device);
  if (slot == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return body(Device{*store, *slot, static_cast<std::uint32_t>(slot - store->gpus())});
}

template <Function F, class Body, class... Pointers>
nvmlReturn_t call_node(Body&& body, const Pointers*... required) {
  nvmlReturn_t code;
  Store* store = enter<F>(code);
  if (store == nullptr) return code;
  if (any_null(required...)) return NVML_ERROR_INVALID_ARGUMENT;
  return body(*store);
}

// Refuses with a fixed code; a bad handle is still told apart from a function that no board has.
template <Function F, class... Pointers>
nvmlReturn_t refuse_device(nvmlDevice_t device, nvmlReturn_t answer, const Pointers*... required) {
  return call_device<F>(
      device, [answer](const Device&) { return answer; }, required...);
}

template <Function F, class... Pointers>
nvmlReturn_t refuse_node(nvmlReturn_t answer, const Pointers*... required) {
  return call_node<F>([answer](Store&) { return answer; }, required...);
}

}  // namespace nvmlab::driver
