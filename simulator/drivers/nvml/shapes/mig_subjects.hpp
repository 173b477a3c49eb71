// SPDX-License-Identifier: Apache-2.0
//
// What MIG makes, by its own kinds of handles and by the numbers that it has on its GPU (shapes/subjects.hpp). A handle
// that is foreign, stale or damaged is INVALID_ARGUMENT, as with a GPU. Tests:
// tests/drivers/functions/mig_instances_test.cpp, mig_capabilities_test.cpp.
#pragma once

#include "drivers/nvml/mig_handles.hpp"
#include "drivers/nvml/shapes/prologue.hpp"

namespace nvmlab::driver {

// A profile of the GPU that the simulated driver knows; else null.
const MigProfile* find_profile(const MigState& state, std::uint32_t id);

// What listing instances takes: MIG that is on, and the right to look at them all.
nvmlReturn_t may_list(const MigState& state);

// A GPU instance that a handle names, and how it can be cut.
struct Cut {
  MigState state;
  const MigGpuInstance* in;
  const MigProfile* kind;
};
nvmlReturn_t find_cut(const Store& store, nvmlGpuInstance_t handle, Cut* cut);
nvmlReturn_t find_profile_of(const Cut& cut, std::uint32_t number, ComputeProfile* profile);

struct GpuInstanceFacts {
  nvmlGpuInstance_t handle;
  nvmlDevice_t device;
  std::uint32_t id;
  std::uint32_t profile;
  std::uint32_t start;
  std::uint32_t memory_slices;
};
nvmlReturn_t look_up(const Store& store, nvmlGpuInstance_t handle, GpuInstanceFacts* facts);
// By its number, for those who may list them all: NOT_FOUND.
nvmlReturn_t look_up(const Device& gpu, std::uint32_t id, GpuInstanceFacts* facts);

struct ComputeInstanceFacts {
  nvmlComputeInstance_t handle;
  nvmlDevice_t device;
  nvmlGpuInstance_t gpu_instance;
  std::uint32_t id;
  std::uint32_t profile;
  std::uint32_t start;
  std::uint32_t slices;
};
nvmlReturn_t look_up(const Store& store, nvmlComputeInstance_t handle, ComputeInstanceFacts* facts);
// By its number within a GPU instance, for those who may look at them: NOT_FOUND.
nvmlReturn_t look_up(const Store& store, nvmlGpuInstance_t in, std::uint32_t id, ComputeInstanceFacts* facts);

// How many more instances of a profile fit on a GPU; NOT_SUPPORTED where it has none of that id.
struct GpuInstanceRoom {
  std::uint32_t more;
};
nvmlReturn_t look_up(const Device& gpu, std::uint32_t profile_id, GpuInstanceRoom* room);

// What a GPU instance can be cut into, and how many more of it fit. Its engines are shared, which is all that
// `engine_profile` can ask for.
struct ComputeProfileFacts {
  std::uint32_t id;
  std::uint32_t slices;
  std::uint32_t instances;
  std::uint32_t multiprocessors;
  std::uint32_t copy_engines;
  std::uint32_t decoders;
  std::uint32_t encoders;
  std::uint32_t jpegs;
  std::uint32_t ofas;
  std::uint32_t capabilities;
  std::uint32_t more;
  char name[96];
};
nvmlReturn_t look_up(const Store& store, nvmlGpuInstance_t in, std::uint32_t profile, ComputeProfileFacts* facts);
nvmlReturn_t look_up(const Store& store, nvmlGpuInstance_t in, std::uint32_t profile, std::uint32_t engine_profile,
                     ComputeProfileFacts* facts);

// Which MIG device a handle is of; NOT_SUPPORTED of a whole GPU.
struct MigDeviceIds {
  nvmlDevice_t handle;
  nvmlDevice_t parent;
  std::uint32_t gpu_instance;
  std::uint32_t compute_instance;
};
nvmlReturn_t look_up(const Device& device, MigDeviceIds* ids);
// By its place among those of the GPU. A chip that has MIG has none while it is off: NOT_FOUND.
nvmlReturn_t look_up(const Device& gpu, std::uint32_t place, MigDeviceIds* ids);

// What a MIG device has (hooks/mig_devices.cpp).
struct MigAttributes {
  std::uint32_t multiprocessors;
  std::uint32_t copy_engines;
  std::uint32_t decoders;
  std::uint32_t encoders;
  std::uint32_t jpegs;
  std::uint32_t ofas;
  std::uint32_t slices;  // of the GPU instance that it lies in
  std::uint32_t compute_slices;
  std::uint64_t memory_mib;
};
nvmlReturn_t look_up(const Device& device, MigAttributes* attributes);

}  // namespace nvmlab::driver
