// SPDX-License-Identifier: Apache-2.0
#include "engine/change/vgpu_holds.hpp"

#include "engine/topics/vgpu/vgpu_host.hpp"

namespace nvmlab {
namespace {

template <class... Bodies>
bool one_of(const Change& change) {
  return (holds<Bodies>(change) || ...);
}

// A snapshot that is restored has vGPUs of its own, so vGPUs do not hold it.
Code held(const Store& store, std::uint32_t index, const Change& change) {
  const bool moves =
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
