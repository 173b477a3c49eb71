// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/mig_device.hpp"

namespace nvml {

std::vector<MigDevice> Device::mig_devices() const {
  std::vector<MigDevice> all;
  // How many there may be, not how many there are: places between two that exist can be empty.
  const unsigned places = max_mig_device_count().value_or(0);
  for (unsigned place = 0; place < places; ++place) {
    if (auto one = mig_device(place)) all.emplace_back(*std::move(one));
  }
  return all;
}

Result<GpuInstance> MigDevice::gpu_instance() const {
  const auto id = gpu_instance_id();
  if (!id) return std::unexpected(id.error());
  const auto parent = parent_device();
  if (!parent) return std::unexpected(parent.error());
  return parent->gpu_instance_by_id(*id);
}

Result<ComputeInstance> MigDevice::compute_instance() const {
  const auto id = compute_instance_id();
  if (!id) return std::unexpected(id.error());
  const auto outer = gpu_instance();
  if (!outer) return std::unexpected(outer.error());
  return outer->compute_instance_by_id(*id);
}

}  // namespace nvml
