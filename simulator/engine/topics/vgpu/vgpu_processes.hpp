// SPDX-License-Identifier: Apache-2.0
//
// What the host's driver shows of a vGPU on its GPU: a process by the name of vgpu, which computes and draws and holds
// the frame buffer that the guest has, and the use of the engines. vGPUs lie in the state of the node, so GPUs follow
// in a second step, which the next writer takes where one was killed between the two. Tests:
// tests/unit/changes/vgpu_test.cpp.
#pragma once

#include "engine/store/edit.hpp"
#include "engine/store/store.hpp"
#include "engine/topics/vgpu/vgpu_type.hpp"

namespace nvmlab {

// The frame buffer without what the host keeps of it: 896 MiB of 1 GiB and 3776 MiB of 4, as nvidia-smi lists on hosts.
inline std::uint64_t vgpu_host_bytes(const VgpuType& type) {
  return type.fb_bytes > type.reserved_bytes() ? type.fb_bytes - type.reserved_bytes() : type.fb_bytes;
}
std::uint32_t vgpu_host_pid(std::uint32_t vgpu);

// Whether the GPU has memory and a place in its list for one more process.
bool vgpu_process_fits(const Store& store, std::uint32_t gpu, std::uint64_t bytes);

// Whether a change of vGPUs has not reached all GPUs yet.
bool vgpus_unfollowed(const Store& store);

// Starts and ends processes of the GPU, and sums up how busy its vGPUs keep it, but where a load moves it.
void follow_vgpus(const Store& store, std::uint32_t index, GpuEdit& gpu);

}  // namespace nvmlab
