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

// The memory of the GPU under a vGPU; NOT_SUPPORTED where its series, or that memory, has no ECC.
struct VgpuMemory {
  std::uint32_t ecc;
};
nvmlReturn_t look_up(const Store& store, std::uint32_t id, VgpuMemory* memory);

// Whether some GPU of the machine lends out vGPUs.
bool any_vgpu_host(const Store& store);

// What the driver of such a machine can, one bit for each of NVML's capabilities; NOT_SUPPORTED on others.
struct VgpuDriver {
  std::uint32_t capabilities;
};
nvmlReturn_t look_up(const Store& store, VgpuDriver* driver);

// vGPU versions that this driver knows, and those that guests may have now (hooks/vgpu_metadata.cpp).
struct VgpuVersions {
  std::uint32_t lowest;
  std::uint32_t highest;
  std::uint32_t lowest_now;
  std::uint32_t highest_now;
};
nvmlReturn_t look_up(const Store& store, VgpuVersions* versions);

// The GPU, where it lends out vGPUs.
struct VgpuLender {
  std::uint32_t gpu;
};
nvmlReturn_t look_up(const Device& gpu, VgpuLender* lender);

}  // namespace nvmlab::driver
