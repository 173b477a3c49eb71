// SPDX-License-Identifier: Apache-2.0
//
// One process has one engine: libcuda.so.1 asks the libnvidia-ml.so.1 beside it for the machine, and for all that
// changes it, by a table of functions that nvmlInternalGetExportTable gives for a UUID of ours. So a machine is found,
// logged about and changed in one place, and both libraries tell of the same GPUs. Tests:
// tests/drivers/cuda/machine_test.cpp.
#pragma once

#include <cstdint>

#include "engine/store/store.hpp"

namespace nvmlab::driver {

// 9d0e5c1a-5b7f-4f6e-9a51-6e766d6c6162 as it lies in memory.
inline constexpr unsigned char kEngineTableId[16] = {0x1A, 0x5C, 0x0E, 0x9D, 0x7F, 0x5B, 0x6E, 0x4F,
                                                     0x9A, 0x51, 0x6E, 0x76, 0x6D, 0x6C, 0x61, 0x62};

// A MIG device, as NVML tells it.
struct MigDevice {
  std::uint32_t gpu_instance;
  std::uint32_t compute_instance;
  std::uint32_t multiprocessors;
  std::uint64_t memory_bytes;
  char name[96];  // "1g.10gb"
  char uuid[96];  // "MIG-..."
};

struct EngineTable {
  std::uint64_t size;         // of the table in bytes
  std::uint64_t layout_hash;  // of the store: two libraries that differ in it must not share one

  // As nvmlInit: 0 and the machine, or its code. What is open stays so until the process ends.
  std::uint32_t (*open)(const Store** store);
  // GPUs that NVML counts, and the one of an index; null beyond the last.
  std::uint32_t (*count_gpus)(const Store& store);
  const GpuSlot* (*nth_gpu)(const Store& store, std::uint32_t index);
  // NVML's code for a GPU that does not answer any more; 0 while it does.
  std::uint32_t (*state_of)(const Store& store, const GpuSlot& slot);
  // MIG devices of a GPU, none while it is not in MIG mode; the one of a position, false where there is none (any
  // more).
  std::uint32_t (*count_mig_devices)(const Store& store, const GpuSlot& slot);
  bool (*describe_mig_device)(const Store& store, const GpuSlot& slot, std::uint32_t position, MigDevice* device);
  // CUDA release of the simulated driver, also before init.
  std::uint32_t (*cuda_version)();

  // What this process holds of a GPU, as NVML lists it: it begins, changes and ends with it. 0, or NVML's code.
  // On a MIG device it is in those instances; `mig` is null on a whole GPU.
  std::uint32_t (*hold)(const Store& store, const GpuSlot& slot, std::uint64_t bytes, const MigDevice* mig);
  std::uint32_t (*let_go)(const Store& store, const GpuSlot& slot);
  // How much of the time this process, which holds something of the GPU, works there; 0: it rests.
  std::uint32_t (*work)(const Store& store, const GpuSlot& slot, std::uint32_t percent);
  // What this process did wrong there, as an Xid; `mig` as above.
  std::uint32_t (*raise_xid)(const Store& store, const GpuSlot& slot, std::uint32_t xid, const MigDevice* mig);

  // Levels as in NVMLAB_LOG: 1 errors, 2 info, 3 calls.
  std::uint32_t (*log_level)();
  void (*log)(std::uint32_t level, const char* text);
};

// Of libnvidia-ml.so.1.
const EngineTable* engine_table();

}  // namespace nvmlab::driver
