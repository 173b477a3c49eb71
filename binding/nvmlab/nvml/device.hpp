// SPDX-License-Identifier: Apache-2.0
// A GPU, or a MIG device, from Library::device() and its like. A value, see object.hpp.
#pragma once

#include <vector>

#include "nvmlab/nvml/generated/device_methods.hpp"

namespace nvml {

class MigDevice;

/// A GPU as NVML sees it. Most methods are in DeviceMethods, one for each C function.
class Device : public DeviceMethods {
 public:
  using DeviceMethods::DeviceMethods;

  /// The MIG devices of this GPU, without the holes that their places may have. Empty where MIG is off, or unknown to
  /// the board or the driver; mig_mode() says which. What is refused for any other reason is there and says why, as in
  /// Library::devices(). Include nvmlab/nvml/mig_device.hpp, or all of nvmlab/nvml.hpp.
  ///
  /// C: nvmlDeviceGetMaxMigDeviceCount, nvmlDeviceGetMigDeviceHandleByIndex
  [[nodiscard]] std::vector<MigDevice> mig_devices() const;
};

}  // namespace nvml
