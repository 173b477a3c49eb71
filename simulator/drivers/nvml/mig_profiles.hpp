// SPDX-License-Identifier: Apache-2.0
// What MIG's profiles are called, and what else of them is of no use to the rules. Tests:
// tests/drivers/functions/mig_instances_test.cpp.
#pragma once

#include "drivers/nvml/process.hpp"

namespace nvmlab::driver {

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

}  // namespace nvmlab::driver
