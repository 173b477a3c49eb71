// SPDX-License-Identifier: Apache-2.0
// A type of vGPU is no vGPU, though both are numbers in C.
// expect: (no match|invalid|no matching|could not convert|cannot convert|no viable|no known conversion)
#include <nvmlab/nvml.hpp>

bool same(const nvml::VgpuType& type, const nvml::VgpuInstance& vgpu) {
  const auto keep = [](nvml::VgpuInstance kept) { return kept; };
#ifdef WRONG
  return keep(type) == vgpu;
#else
  static_cast<void>(type);
  return keep(vgpu) == vgpu;
#endif
}
