// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/modes/mode_changes.hpp"

#include "engine/topics/generated/field_rules.hpp"

namespace nvmlab {

// A GPU in a guest, or under a driver that hosts no vGPU, keeps its mode.
Code rules::check_virtualization(GpuEdit& gpu, std::uint32_t, const Written&) {
  const Modes& modes = gpu.view(&Gpu::modes);
  if (!modes.virtualization.has_value()) return kSuccess;
  if (!modes.host_vgpu.has_value()) return kNotSupported;
  const std::uint32_t mode = modes.virtualization.value;
  return mode == kHostVgpu || mode == kHostVsga ? kSuccess : kInvalidArgument;
}

Code rules::check_drain(GpuEdit& gpu, std::uint32_t, const Written&) {
  const Modes& modes = gpu.view(&Gpu::modes);
  return modes.drain.value_or(0) != 0 && modes.persistence.value_or(0) != 0 ? kInUse : kSuccess;
}

Code make(const SetDramEncryption& change, GpuEdit& gpu) {
  const Modes& modes = gpu.view(&Gpu::modes);
  if (!modes.dram_encryption.has_value()) return modes.dram_encryption.code();
  Fact<std::uint32_t>& pending = gpu.edit(&Gpu::modes).dram_encryption_pending;
  pending.set(change.enabled);
  return follow_fields(gpu, {&pending});
}

Code make(const SetApiRestriction& change, GpuEdit& gpu) {
  const bool clocks = change.api == SetApiRestriction::Api::application_clocks;
  const Modes& modes = gpu.edit(&Gpu::modes);
  return write_setting(gpu, clocks ? modes.api_restriction_application_clocks : modes.api_restriction_auto_boost,
                       change.restricted);
}

Code make(const SetVirtualizationMode& change, GpuEdit& gpu) {
  return write_setting(gpu, gpu.edit(&Gpu::modes).virtualization, change.mode);
}

Code make(const SetRusdPollMask& change, GpuEdit& gpu) {
  return write_setting(gpu, gpu.edit(&Gpu::modes).rusd_poll_mask, change.groups);
}

Code make(const SetDrain& change, GpuEdit& gpu) {
  return write_setting(gpu, gpu.edit(&Gpu::modes).drain, change.draining);
}

}  // namespace nvmlab
