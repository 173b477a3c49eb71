// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/mig_device.hpp"

#include <string>

#include "nvmlab/nvml/generated/return.hpp"

namespace nvml::inline v1 {
namespace {

// The board or the driver knows no MIG, or it is off, or nothing lies at the place.
bool means_none(const Error& error) {
  return error.code() == Return::not_supported || error.code() == Return::function_not_found ||
         error.code() == Return::not_found || error.code() == Return::invalid_argument;
}

MigDevice refused_mig_device(const Error& error) { return MigDevice{Device{detail::refused(error), nullptr}}; }

}  // namespace

std::vector<MigDevice> Device::mig_devices() const {
  // How many there may be, not how many there are: places between two that exist can be empty.
  const auto places = max_mig_device_count();
  std::vector<MigDevice> all;
  if (!places) {
    if (!means_none(places.error())) all.push_back(refused_mig_device(places.error()));
    return all;
  }
  for (unsigned place = 0; place < *places; ++place) {
    if (auto one = mig_device(place)) {
      all.emplace_back(*std::move(one));
    } else if (!means_none(one.error())) {
      all.push_back(refused_mig_device(one.error().with_detail("MIG device " + std::to_string(place))));
    }
  }
  return all;
}

Result<GpuInstance> MigDevice::gpu_instance() const {
  const auto id = gpu_instance_id();
  if (!id) return unexpected(id.error());
  const auto parent = parent_device();
  if (!parent) return unexpected(parent.error());
  return parent->gpu_instance_by_id(*id);
}

Result<ComputeInstance> MigDevice::compute_instance() const {
  const auto id = compute_instance_id();
  if (!id) return unexpected(id.error());
  const auto outer = gpu_instance();
  if (!outer) return unexpected(outer.error());
  return outer->compute_instance_by_id(*id);
}

}  // namespace nvml::inline v1
