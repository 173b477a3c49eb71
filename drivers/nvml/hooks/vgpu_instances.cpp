// SPDX-License-Identifier: Apache-2.0
//
// vGPUs that run on a host: whose they are, what they hold, and the licence of their guest.
// Tests: tests/drivers/functions/vgpu_host_test.cpp.
#include "drivers/nvml/hooks/vgpu.hpp"

namespace nvmlab::driver {

namespace hooks {

nvmlReturn_t nvmlGpuInstanceGetActiveVgpus(Store& node, nvmlGpuInstance_t gpuInstance,
                                           nvmlActiveVgpuInstanceInfo_t* pVgpuInstanceInfo) {
  return ask_gpu_instance(node, gpuInstance, [&](const Device& gpu, const MigGpuInstance& in) {
    NumberList list(&pVgpuInstanceInfo->vgpuCount, pVgpuInstanceInfo->vgpuInstances);
    consistent(gpu.store.node, [&](const Node& state) {
      list.start_over();
      return visit_until(state.vgpu.instances, [&](const VgpuInstance& each) {
        const bool here = load(each.gpu).value_or(~0U) == gpu.index && load(each.gpu_instance).value_or(~0U) == in.id;
        if (here) list.add(load(each.id).value_or(0));
        return false;
      });
    });
    return list.finish();
  });
}

nvmlReturn_t nvmlVgpuInstanceSetEncoderCapacity(Store& node, nvmlVgpuInstance_t vgpuInstance,
                                                unsigned int encoderCapacity) {
  if (vgpuInstance == 0) return NVML_ERROR_INVALID_ARGUMENT;
  return apply_change(node, vgpu_change(SetVgpuEncoderCapacity{vgpuInstance, encoderCapacity}));
}

// What the board's memory has, where the series has it at all.
nvmlReturn_t nvmlVgpuInstanceGetEccMode(Store& node, nvmlVgpuInstance_t vgpuInstance, nvmlEnableState_t* eccMode) {
  return ask_vgpu_and_type(node, vgpuInstance, [&](const VgpuInstance& vgpu, const VgpuType& type) {
    const Fact<std::uint32_t> mode = peek_field(node, vgpu.gpu.value_or(0), &Gpu::ecc, &Ecc::mode);
    if (!mode.has_value() || std::strcmp(type.vgpu_class, "NVS") == 0) return NVML_ERROR_NOT_SUPPORTED;
    *eccMode = static_cast<nvmlEnableState_t>(mode.value);
    return NVML_SUCCESS;
  });
}

}  // namespace hooks
}  // namespace nvmlab::driver
