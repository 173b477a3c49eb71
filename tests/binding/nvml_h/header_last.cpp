// SPDX-License-Identifier: Apache-2.0
// The binding first, then NVIDIA's header.
#include <nvmlab/nvml.hpp>

#include <nvml.h>

#include <type_traits>

static_assert(std::is_same_v<nvmlDevice_t, nvml::abi::nvmlDevice_t>, "a handle is of one type");

// 0 where a handle of the binding is one for C.
int take_from_the_binding(const nvml::Library& library) {
  const auto device = library.device(1);
  if (!device) return 20;
  unsigned index = 0;
  if (nvmlDeviceGetIndex(device->handle(), &index) != NVML_SUCCESS) return 21;
  return index == 1 ? 0 : 22;
}
