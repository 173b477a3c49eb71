// SPDX-License-Identifier: Apache-2.0
// What the numbers of vGPUs and of their types name (shapes/subjects.hpp). Tests:
// tests/drivers/functions/vgpu_test.cpp, vgpu_host_test.cpp.
#pragma once

#include "drivers/nvml/shapes/prologue.hpp"
#include "engine/topics/vgpu/vgpu_host.hpp"

namespace nvmlab::driver {

// A type of any GPU that lends out vGPUs; INVALID_ARGUMENT for a number of none.
nvmlReturn_t look_up(const Store& store, std::uint32_t id, VgpuType* type);
// One of this very GPU; NOT_SUPPORTED where that lends out none.
nvmlReturn_t look_up(const Device& gpu, std::uint32_t id, VgpuType* type);

// A vGPU that runs; NOT_FOUND for a number of none.
nvmlReturn_t look_up(const Store& store, std::uint32_t id, VgpuInstance* vgpu);

// A process in the guest of a vGPU; NOT_SUPPORTED while nobody counts what processes there use.
nvmlReturn_t look_up(const Store& store, std::uint32_t vgpu, std::uint32_t pid, Vgpu::Process* guest);

// What the encoder sessions of one vGPU come to, and what each of them has on average.
struct VgpuEncoder {
  std::uint32_t sessions;
  std::uint32_t average_fps;
  std::uint32_t average_latency_us;
};
nvmlReturn_t look_up(const Store& store, std::uint32_t id, VgpuEncoder* encoder);

// The GPU, where it lends out vGPUs.
struct VgpuLender {
  std::uint32_t gpu;
};
nvmlReturn_t look_up(const Device& gpu, VgpuLender* lender);

}  // namespace nvmlab::driver
