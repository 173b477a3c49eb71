// SPDX-License-Identifier: Apache-2.0
// Switching MIG on or off: the change resets the GPU, and a reset changes several topics. Tests:
// tests/unit/mig/.
#include "engine/change/reset.hpp"
#include "engine/topics/mig/mig_changes.hpp"

namespace nvmlab {
namespace {

constexpr std::uint32_t kPassThrough = 1;  // of modes.virtualization

}  // namespace

Code make(const SetMigMode& change, GpuEdit& gpu) {
  const Modes& modes = gpu.view(&Gpu::modes);
  if (!modes.mig.has_value()) return modes.mig.code();
  if (change.enabled > 1) return kInvalidArgument;
  gpu.edit(&Gpu::modes).mig_pending.set(change.enabled);
  if (modes.mig.value == change.enabled) return kSuccess;
  const bool in_use =
      gpu.view(&Gpu::processes).running.size() > 0 || gpu.view(&Gpu::instances).gpu_instances.size() > 0;
  const bool without_reset = modes.mig_without_reset.value_or(0) != 0;
  if (in_use || (!without_reset && modes.virtualization.value_or(0) == kPassThrough)) return kSuccess;
  if (without_reset) {
    gpu.edit(&Gpu::modes).mig.set(change.enabled);
  } else if (const Code code = make(ResetGpu{}, gpu); code != kSuccess) {
    return code;
  }
  if (change.enabled != 0 && modes.accounting.has_value()) gpu.edit(&Gpu::modes).accounting.set(0);
  return kSuccess;
}

}  // namespace nvmlab
