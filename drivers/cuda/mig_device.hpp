// SPDX-License-Identifier: Apache-2.0
// A MIG device as CUDA tells it, read from the state of its GPU; all that libcuda knows of MIG's state is in
// mig_device.cpp. Tests: tests/drivers/cuda/mig_test.cpp.
#pragma once

#include "engine/machine/store.hpp"

namespace nvmlab::cuda {

struct MigDevice {
  std::uint32_t gpu_instance;
  std::uint32_t compute_instance;
  std::uint32_t multiprocessors;
  std::uint64_t memory_bytes;
  Text<96> name;  // "1g.10gb"
  Text<96> uuid;  // "MIG-..."
};

// Whether the GPU is to be divided; nothing runs on the whole of it then.
bool in_mig_mode(const GpuSlot& slot);
// None while it is not in MIG mode.
std::uint32_t mig_device_count(const GpuSlot& slot);
MigDevice mig_device(const GpuSlot& slot, std::uint32_t position);

}  // namespace nvmlab::cuda
