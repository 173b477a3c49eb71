// SPDX-License-Identifier: Apache-2.0
// Switching MIG on or off: the change resets the GPU, and a reset changes several topics. Tests:
// tests/unit/mig/.
#include "engine/change/reset.hpp"
#include "engine/topics/generated/field_rules.hpp"
#include "engine/topics/mig/mig_changes.hpp"

namespace nvmlab {
namespace {

constexpr std::uint32_t kPassThrough = 1;  // of modes.virtualization

}  // namespace

Code rules::request_mig_mode(GpuEdit& gpu, std::uint32_t, const Written&) {
  const Modes& modes = gpu.view(&Gpu::modes);
  if (!modes.mig_pending.has_value()) return kSuccess;
  if (!modes.mig.has_value()) return modes.mig.code();
  const std::uint32_t enabled = modes.mig_pending.value;
  if (modes.mig.value == enabled) return kSuccess;
  const bool in_use =
      gpu.view(&Gpu::processes).running.size() > 0 || gpu.view(&Gpu::instances).gpu_instances.size() > 0;
  const bool without_reset = modes.mig_without_reset.value_or(0) != 0;
  if (in_use || (!without_reset && modes.virtualization.value_or(0) == kPassThrough)) return kSuccess;
  if (without_reset) {
    gpu.edit(&Gpu::modes).mig.set(enabled);
  } else if (const Code code = make(ResetGpu{}, gpu); code != kSuccess) {
    return code;
  }
  if (enabled != 0 && modes.accounting.has_value()) gpu.edit(&Gpu::modes).accounting.set(0);
  return kSuccess;
}

Code make(const SetMigMode& change, GpuEdit& gpu) {
  const Modes& modes = gpu.view(&Gpu::modes);
  if (!modes.mig.has_value()) return modes.mig.code();
  Fact<std::uint32_t>& pending = gpu.edit(&Gpu::modes).mig_pending;
  pending.set(change.enabled);
  return follow_fields(gpu, {&pending});
}

}  // namespace nvmlab
