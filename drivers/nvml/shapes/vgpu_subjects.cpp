// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/shapes/vgpu_subjects.hpp"

namespace nvmlab::driver {

nvmlReturn_t look_up(const Store& store, std::uint32_t id, VgpuType* type) {
  return find_vgpu_type(store, id, type) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t look_up(const Device& gpu, std::uint32_t id, VgpuType* type) {
  if (!hosts_vgpus(gpu.store, gpu.index)) return NVML_ERROR_NOT_SUPPORTED;
  return VgpuTypes(gpu.store, gpu.index).find(id, type) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

}  // namespace nvmlab::driver
