// SPDX-License-Identifier: Apache-2.0
// A part of a GPU instance that computes, from GpuInstance. Not destroyed with the object: see destroy().
#pragma once

#include "nvmlab/nvml/generated/compute_instance_methods.hpp"

namespace nvml::inline v1 {

class ComputeInstance : public ComputeInstanceMethods {
 public:
  using ComputeInstanceMethods::ComputeInstanceMethods;
};

}  // namespace nvml::inline v1
