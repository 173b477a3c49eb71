// SPDX-License-Identifier: Apache-2.0
// What the hooks of MIG share. Tests: tests/drivers/functions/mig_instances_test.cpp.
#pragma once

#include "drivers/nvml/generated/hooks.hpp"
#include "drivers/nvml/mig_handles.hpp"
#include "drivers/nvml/mig_profiles.hpp"
#include "drivers/nvml/shapes/gates.hpp"
#include "drivers/nvml/shapes/mig_subjects.hpp"
#include "engine/change/change.hpp"

namespace nvmlab::driver {

// What can be made where, and what is made of an instance whose handle somebody has: for root, and for those who have
// either capability of MIG.
inline nvmlReturn_t may_see_layout() { return may_view_mig() ? NVML_SUCCESS : NVML_ERROR_NO_PERMISSION; }

// Creates or destroys an instance for a process with the capability that this takes.
Applied change_instances(const Device& gpu, const Change& change);

template <class Body>
Applied change_instances(const Device& gpu, const Body& body) {
  return change_instances(gpu, make_change(gpu.index, body));
}

inline Device device_of(Store& store, const MigState& state) { return {store, *state.slot, state.gpu}; }

// Of a MIG device; INVALID_ARGUMENT where it was destroyed meanwhile.
struct MigDeviceFacts {
  MigName name;
  std::uint32_t multiprocessors;
  std::uint64_t memory_bytes;
};
nvmlReturn_t facts_of(const Device& device, MigDeviceFacts* facts);

}  // namespace nvmlab::driver
