// SPDX-License-Identifier: Apache-2.0
// expect: cannot convert|no known conversion|no matching function
#include "nvmlab/nvml/ids.hpp"

void stop(nvml::VgpuInstanceId vgpu);

void test([[maybe_unused]] nvml::VgpuTypeId type, [[maybe_unused]] nvml::VgpuInstanceId vgpu) {
#ifdef WRONG
  stop(type);
#else
  stop(vgpu);
#endif
}
