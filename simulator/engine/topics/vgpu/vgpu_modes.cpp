// SPDX-License-Identifier: Apache-2.0
// The modes of a vGPU host. Tests: tests/unit/changes/vgpu_test.cpp.
#include "engine/topics/generated/field_rules.hpp"
#include "engine/topics/vgpu/vgpu_changes.hpp"
#include "engine/topics/vgpu/vgpu_host.hpp"

namespace nvmlab {

Code rules::check_heterogeneous_vgpus(GpuEdit& gpu, std::uint32_t, const Written&) {
  const Modes& modes = gpu.view(&Gpu::modes);
  return !modes.vgpu_heterogeneous.has_value() || modes.virtualization.value_or(0) == kHostVgpu ? kSuccess
                                                                                                : kNotSupported;
}

Code make(const HostVgpus& change, GpuEdit& gpu) {
  Modes& modes = gpu.edit(&Gpu::modes);
  const Pci& pci = gpu.view(&Gpu::pci);
  const VgpuBoard* const board = find_vgpu_board(pci.device_id.value_or(0), pci.subsystem_id.value_or(0));
  if (change.enabled == 0) {
    modes.virtualization.set(0);
    modes.host_vgpu.set_error(kNotSupported);
    modes.vgpu_heterogeneous.set_error(kNotSupported);
    return kSuccess;
  }
  const bool sriov = board == nullptr || board->sriov;
  modes.virtualization.set(kHostVgpu);
  modes.host_vgpu.set(sriov ? 1 : 0);
  if (sriov) modes.vgpu_heterogeneous.set(0);
  if (modes.accounting.has_value()) modes.accounting.set(1);  // such a host cannot switch it off
  return kSuccess;
}

Code make(const SetVgpuHeterogeneousMode& change, GpuEdit& gpu) {
  return write_setting(gpu, gpu.edit(&Gpu::modes).vgpu_heterogeneous, change.enabled);
}

}  // namespace nvmlab
