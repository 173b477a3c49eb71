// SPDX-License-Identifier: Apache-2.0
//
// What libcuda knows within one process: the engine of the libnvidia-ml.so.1 beside it, and the devices that
// CUDA_VISIBLE_DEVICES leaves. A forked child inherits none of it, as with the real driver: all its calls say
// CUDA_ERROR_NOT_INITIALIZED. Tests: tests/drivers/cuda/.
#pragma once

#include "drivers/common/engine_table.hpp"
#include "drivers/common/line.hpp"
#include "drivers/cuda/abi/abi.hpp"
#include "drivers/cuda/process/mig_device.hpp"
#include "drivers/cuda/process/visible_devices.hpp"
#include "engine/store/lock.hpp"

namespace nvmlab::cuda {

inline constexpr std::uint32_t kLogErrors = 1;
inline constexpr std::uint32_t kLogInfo = 2;
inline constexpr std::uint32_t kLogCalls = 3;

struct Process {
  const driver::EngineTable* engine = nullptr;
  const Store* store = nullptr;
  std::uint32_t token = 0;         // sys::process_token() of the process that called cuInit; 0: none has
  std::uint32_t cuda_release = 0;  // of the simulated driver
  std::uint32_t device_count = 0;
  VisibleDevice devices[kMaxVisibleDevices] = {};

  ThreadLock lock;  // over all objects of the process
};

extern Process process;

// The engine, opened at the first question; null where there is none, which has been said.
const driver::EngineTable* engine();

CUresult initialise();
CUresult check_initialised();

// CUDA release of the simulated driver: 12040. 0 without an engine.
std::uint32_t cuda_release();

std::uint32_t log_level();
void log(std::uint32_t level, const driver::Line& line);

// One visible device, as the hooks see it.
struct CudaGpu {
  const Store& store;
  const GpuSlot& slot;
  const VisibleDevice& device;
};

// Of a device that is a MIG device.
inline MigDevice mig_of(const CudaGpu& gpu) { return describe(*process.engine, gpu.store, gpu.slot, gpu.device.mig); }

// Null for an ordinal that is none.
const VisibleDevice* find_device(CUdevice ordinal);
CudaGpu gpu_of(const VisibleDevice& device);
// CUDA_SUCCESS, or what a GPU that does not answer any more is told by.
CUresult state_of(const CudaGpu& gpu);

// Calls body(gpu) with the device of that ordinal.
template <class Body>
CUresult with_device(CUdevice ordinal, const Body& body) {
  const VisibleDevice* device = find_device(ordinal);
  if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  return body(gpu_of(*device));
}

class Locked {
 public:
  Locked() { process.lock.lock(); }
  ~Locked() { process.lock.unlock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
};

}  // namespace nvmlab::cuda
