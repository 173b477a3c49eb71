// SPDX-License-Identifier: Apache-2.0
// A GPU, or a MIG device, from Library::device() and its like. A value, see object.hpp.
#pragma once

#include "nvmlab/nvml/generated/device_methods.hpp"

namespace nvml {

class Device : public DeviceMethods {
 public:
  using DeviceMethods::DeviceMethods;
};

}  // namespace nvml
