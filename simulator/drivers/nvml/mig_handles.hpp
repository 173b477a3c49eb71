// SPDX-License-Identifier: Apache-2.0
//
// Handles of what MIG makes: GPU instances, compute instances and MIG devices. Each is of one instance by its serial,
// so one of an instance that is gone is good for nothing, and every process counts alike. Tests:
// tests/drivers/functions/mig_instances_test.cpp.
#pragma once

#include "drivers/nvml/process.hpp"
#include "engine/topics/mig/compute_profiles.hpp"

namespace nvmlab::driver {

// A GPU with what it can be cut into and what it is cut into, all of one moment.
struct MigState {
  const GpuSlot* slot;
  std::uint32_t gpu;  // its index
  bool on;
  MigBoard board;
  MigLayout layout;
};

void read_mig_state(const Store& store, const GpuSlot& slot, MigState* state);

using MigGpuInstance = MigLayout::GpuInstance;
using MigComputeInstance = MigLayout::ComputeInstance;

// The handle of the instance with a serial.
nvmlGpuInstance_t gpu_instance_handle(const MigState& state, std::uint32_t serial);
nvmlComputeInstance_t compute_instance_handle(const MigState& state, std::uint32_t serial);
inline nvmlGpuInstance_t handle_of(const MigState& state, const MigGpuInstance& instance) {
  return gpu_instance_handle(state, instance.serial);
}
inline nvmlComputeInstance_t handle_of(const MigState& state, const MigComputeInstance& instance) {
  return compute_instance_handle(state, instance.serial);
}
// The MIG device that a compute instance is.
nvmlDevice_t device_of(const MigState& state, const MigComputeInstance& instance);

// INVALID_ARGUMENT for a foreign, stale or damaged handle; the code of a GPU that refuses all calls.
nvmlReturn_t find_instance(const Store& store, nvmlGpuInstance_t handle, MigState* state,
                           const MigGpuInstance** instance);
nvmlReturn_t find_instance(const Store& store, nvmlComputeInstance_t handle, MigState* state,
                           const MigComputeInstance** instance);
nvmlReturn_t find_instance(const Store& store, nvmlDevice_t handle, MigState* state,
                           const MigComputeInstance** instance);

// The UUID of a MIG device, as drivers of the simulated branch write it.
struct MigUuid {
  char text[96];
};
MigUuid uuid_of(const GpuSlot& slot, const MigComputeInstance& instance);

// The MIG device with a UUID; null where there is none.
nvmlDevice_t find_mig_device(const Store& store, const char* uuid);

}  // namespace nvmlab::driver
