// SPDX-License-Identifier: Apache-2.0
// A part of a GPU in MIG mode, from Device. It is not destroyed with the object: see destroy().
#pragma once

#include "nvmlab/nvml/generated/gpu_instance_methods.hpp"

namespace nvml::inline v1 {

class GpuInstance : public GpuInstanceMethods {
 public:
  using GpuInstanceMethods::GpuInstanceMethods;
};

}  // namespace nvml::inline v1
