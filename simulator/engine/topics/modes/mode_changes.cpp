// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/modes/mode_changes.hpp"

namespace nvmlab {

Code make(const SetDramEncryption& change, GpuEdit& gpu) {
  const Modes& modes = gpu.view(&Gpu::modes);
  if (!modes.dram_encryption.has_value()) return modes.dram_encryption.code();
  if (change.enabled > 1) return kInvalidArgument;
  gpu.edit(&Gpu::modes).dram_encryption_pending.set(change.enabled);
  return kSuccess;
}

Code make(const SetApiRestriction& change, GpuEdit& gpu) {
  const auto field = change.api == SetApiRestriction::Api::application_clocks
                         ? &Modes::api_restriction_application_clocks
                         : &Modes::api_restriction_auto_boost;
  const Modes& modes = gpu.view(&Gpu::modes);
  if (!(modes.*field).has_value()) return (modes.*field).code();
  if (change.restricted > 1) return kInvalidArgument;
  (gpu.edit(&Gpu::modes).*field).set(change.restricted);
  return kSuccess;
}

// A GPU in a guest, or under a driver that hosts no vGPU, keeps its mode.
Code make(const SetVirtualizationMode& change, GpuEdit& gpu) {
  const Modes& modes = gpu.view(&Gpu::modes);
  if (!modes.virtualization.has_value()) return modes.virtualization.code();
  if (!modes.host_vgpu.has_value()) return kNotSupported;
  if (change.mode != kHostVgpu && change.mode != kHostVsga) return kInvalidArgument;
  gpu.edit(&Gpu::modes).virtualization.set(change.mode);
  return kSuccess;
}

Code make(const SetRusdPollMask& change, GpuEdit& gpu) {
  const Modes& modes = gpu.view(&Gpu::modes);
  if (!modes.rusd_poll_mask.has_value()) return modes.rusd_poll_mask.code();
  gpu.edit(&Gpu::modes).rusd_poll_mask.set(change.groups);
  return kSuccess;
}

Code make(const SetDrain& change, GpuEdit& gpu) {
  const Modes& modes = gpu.view(&Gpu::modes);
  if (!modes.drain.has_value()) return modes.drain.code();
  if (change.draining > 1) return kInvalidArgument;
  if (change.draining != 0 && modes.persistence.value_or(0) != 0) return kInUse;
  gpu.edit(&Gpu::modes).drain.set(change.draining);
  return kSuccess;
}

}  // namespace nvmlab
