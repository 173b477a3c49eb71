// SPDX-License-Identifier: Apache-2.0
//
// The verdict `write`, and how a hook changes the state: a setting is supported where the profile knows it, changed
// under the store's lock by whoever may, and seen by every process that maps the store.
#pragma once

#include "drivers/nvml/shapes/call.hpp"
#include "drivers/nvml/shapes/outputs.hpp"
#include "engine/machine/system.hpp"

namespace nvmlab::driver {

// Changing a GPU takes root, as with a real driver; NVMLAB_ROLE says whom the process stands for, whoever runs it.
bool may_administrate();

// Runs `change` on a copy of the GPU and publishes it if it returns NVML_SUCCESS.
nvmlReturn_t change_gpu(const Device& device, nvmlReturn_t (*change)(Gpu& gpu, const void* arguments),
                        const void* arguments);

template <class Change>
nvmlReturn_t change(const Device& device, const Change& apply) {
  return change_gpu(
      device, [](Gpu& gpu, const void* arguments) { return (*static_cast<const Change*>(arguments))(gpu); }, &apply);
}

// The same for the node.
nvmlReturn_t change_node(Store& store, nvmlReturn_t (*change)(Node& node, const void* arguments),
                         const void* arguments);

template <class Change>
nvmlReturn_t change(Store& store, const Change& apply) {
  return change_node(
      store, [](Node& node, const void* arguments) { return (*static_cast<const Change*>(arguments))(node); }, &apply);
}

// A setting that takes any value up to `highest`.
template <Function F, class FactType>
nvmlReturn_t write(nvmlDevice_t device, std::uint32_t value, std::uint32_t highest, At<FactType> at) {
  return call_device<F>(device, [&](const Device& gpu) {
    const FactType now = consistent(gpu.slot, [&](const Gpu& state) { return at.fetch(state); });
    if (!now.has_value()) return static_cast<nvmlReturn_t>(now.code());
    if (value > highest) return NVML_ERROR_INVALID_ARGUMENT;
    if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
    return change(gpu, [&](Gpu& state) {
      reinterpret_cast<FactType*>(reinterpret_cast<unsigned char*>(&state) + at.offset)->set(value);
      return NVML_SUCCESS;
    });
  });
}

}  // namespace nvmlab::driver
