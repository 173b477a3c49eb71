// SPDX-License-Identifier: Apache-2.0
// A running virtual GPU. In C it is a number, as a VgpuType is; here they are two things.
#pragma once

#include "nvmlab/nvml/generated/vgpu_instance_methods.hpp"

namespace nvml {

class VgpuInstance : public VgpuInstanceMethods {
 public:
  using VgpuInstanceMethods::VgpuInstanceMethods;
};

}  // namespace nvml
