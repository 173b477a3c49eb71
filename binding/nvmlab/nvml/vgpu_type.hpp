// SPDX-License-Identifier: Apache-2.0
// A kind of virtual GPU. In C it is a number, as a VgpuInstance is; here they are two things.
#pragma once

#include "nvmlab/nvml/generated/vgpu_type_methods.hpp"

namespace nvml::inline v1 {

class VgpuType : public VgpuTypeMethods {
 public:
  using VgpuTypeMethods::VgpuTypeMethods;
};

}  // namespace nvml::inline v1
