// SPDX-License-Identifier: Apache-2.0
// What the hooks of MIG share. Tests: tests/drivers/functions/mig_instances_test.cpp.
#pragma once

#include "drivers/nvml/generated/hooks.hpp"
#include "drivers/nvml/mig_handles.hpp"
#include "engine/machine/change.hpp"

namespace nvmlab::driver {

// What can be made where, and what is made of an instance whose handle somebody has: for root, and for those who have
// either capability of MIG.
nvmlReturn_t may_see_layout();

// A change of instances of whose outcome the caller wants to know more than the code, before anybody else changes
// something.
nvmlReturn_t apply_under(const WriteLock& lock, const Device& gpu, const Change& change);

template <class Body>
nvmlReturn_t apply_under(const WriteLock& lock, const Device& gpu, const Body& body) {
  return apply_under(lock, gpu, gpu_change(gpu.index, body));
}

inline Device device_of(Store& store, const MigState& state) { return {store, *state.slot, state.gpu}; }

// What is not small of a profile's row, and of the GPU that has it.
struct MigProfileFacts {
  std::uint32_t copy_engines;
  bool graphics;  // +gfx
  Text<96> name;  // MIG 1g.10gb+me
};
MigProfileFacts facts_of(const GpuSlot& slot, std::uint32_t profile_id);

// What nvidia-smi calls a compute instance: 1g.10gb, or 1c.3g.40gb where it does not fill its GPU instance.
struct MigName {
  char text[96];
};
MigName name_of(const Text<96>& profile, std::uint32_t compute_slices, std::uint32_t slices);

// Of a MIG device; INVALID_ARGUMENT where it was destroyed meanwhile.
struct MigDeviceFacts {
  MigName name;
  std::uint32_t multiprocessors;
  std::uint64_t memory_bytes;
};
nvmlReturn_t facts_of(const Device& device, MigDeviceFacts* facts);

}  // namespace nvmlab::driver
