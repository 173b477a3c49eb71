// SPDX-License-Identifier: Apache-2.0
#include "engine/change/vgpu_holds.hpp"

#include "engine/topics/vgpu/vgpu_host.hpp"

namespace nvmlab {
namespace {

template <class... Bodies>
bool one_of(const Change& change) {
  return (holds<Bodies>(change) || ...);
}

// Whether bytes are written to a mode that stays while vGPUs run.
bool writes_mode(const Change& change) {
  if (!one_of<PutBytes>(change)) return false;
  PutBytes put{};
  std::memcpy(&put, change.body, offsetof(PutBytes, bytes));
  const auto touches = [&put](std::uint64_t offset) {
    return put.offset < offset + sizeof(Fact<std::uint32_t>) && put.offset + std::uint64_t{put.size} > offset;
  };
  return touches(offsetof(Gpu, modes.mig_pending)) || touches(offsetof(Gpu, modes.virtualization)) ||
         touches(offsetof(Gpu, modes.vgpu_heterogeneous));
}

// A snapshot that is restored has vGPUs of its own, so vGPUs do not hold it.
Code held(const Store& store, std::uint32_t index, const Change& change) {
  const bool moves =
      writes_mode(change) ||
      one_of<HostVgpus, SetVgpuHeterogeneousMode, SetVirtualizationMode, SetMigMode, ResetGpu, RemoveGpu>(change);
  if (!moves) return kSuccess;
  if (one_of<HostVgpus>(change) && !VgpuTypes(store, index).any()) return kNotSupported;
  return vgpus_run_on(store, index) ? kInUse : kSuccess;
}

}  // namespace

Code held_by_vgpus(const Store& store, std::uint32_t index, const Change* changes, std::uint32_t count,
                   std::uint32_t* failed) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (changes[i].target != index) continue;
    if (const Code code = held(store, index, changes[i]); code != kSuccess) {
      *failed = i;
      return code;
    }
  }
  return kSuccess;
}

}  // namespace nvmlab
