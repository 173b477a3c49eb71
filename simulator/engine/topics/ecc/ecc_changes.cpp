// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/ecc/ecc_changes.hpp"

#include "engine/topics/generated/resets.hpp"

namespace nvmlab {

Code make(const ClearEccCounts& change, GpuEdit& gpu) {
  const Ecc& ecc = gpu.view(&Gpu::ecc);
  if (!ecc.mode.has_value()) return ecc.mode.code();
  Ecc& draft = gpu.edit(&Gpu::ecc);
  if (change.life == ClearEccCounts::Life::volatile_counts) {
    clear_ecc_volatile(draft);
  } else {
    clear_ecc_aggregate(draft);
  }
  return kSuccess;
}

}  // namespace nvmlab
