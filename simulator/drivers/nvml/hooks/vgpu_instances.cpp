// SPDX-License-Identifier: Apache-2.0
//
// vGPUs that run in a GPU instance of a host.
// Tests: tests/drivers/functions/vgpu_host_test.cpp.
#include "drivers/nvml/hooks/vgpu.hpp"

namespace nvmlab::driver::hooks {

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

}  // namespace nvmlab::driver::hooks
