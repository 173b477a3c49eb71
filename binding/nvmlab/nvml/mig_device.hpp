// SPDX-License-Identifier: Apache-2.0
// A MIG device: a compute instance of a GPU, as a device that programs use. Covered by
// tests/binding/mig_device_test.cpp.
#pragma once

#include <utility>

#include "nvmlab/nvml/compute_instance.hpp"
#include "nvmlab/nvml/device.hpp"
#include "nvmlab/nvml/gpu_instance.hpp"

namespace nvml::inline v1 {

/// A device of its own for what NVML counts by instance (memory, processes, attributes, UUID); what only the whole GPU
/// has, such as power and clocks, answers NOT_SUPPORTED or INVALID_ARGUMENT here and is asked of parent_device().
/// A MigDevice is made by Device::mig_devices(), or from a Device of which is_mig_device() is true.
class MigDevice : public Device {
 public:
  /// `device` must be a MIG device; nothing is asked.
  explicit MigDevice(Device device) noexcept : Device(std::move(device)) {}

  /// The GPU instance that it lies in.
  ///
  /// C: nvmlDeviceGetGpuInstanceId, nvmlDeviceGetGpuInstanceById of the parent
  [[nodiscard]] Result<GpuInstance> gpu_instance() const;

  /// The compute instance that it is.
  ///
  /// C: nvmlDeviceGetComputeInstanceId, nvmlGpuInstanceGetComputeInstanceById
  [[nodiscard]] Result<ComputeInstance> compute_instance() const;
};

}  // namespace nvml::inline v1
