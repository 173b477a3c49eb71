// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/memory/memory_rules.hpp"

#include "drivers/nvml/hooks/fetch.hpp"

namespace nvmlab::driver::hooks {

nvmlReturn_t nvmlDeviceGetMemoryInfo(const Device& gpu, nvmlMemory_t* memory) {
  const Memory state = fetch(gpu, &Gpu::memory);
  if (!state.total_bytes.known()) return code_of(state.total_bytes.code());
  const MemorySplit split = frame_buffer(state);
  *memory = {split.total, split.free,
             split.reserved + split.used};  // the first version has no member for what is reserved
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(const Device& gpu, nvmlMemory_v2_t* memory) {
  const Memory state = fetch(gpu, &Gpu::memory);
  if (!state.total_bytes.known()) return code_of(state.total_bytes.code());
  const MemorySplit split = frame_buffer(state);
  memory->total = split.total;
  memory->reserved = split.reserved;
  memory->used = split.used;
  memory->free = split.free;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetBAR1MemoryInfo(const Device& gpu, nvmlBAR1Memory_t* bar1Memory) {
  const Memory state = fetch(gpu, &Gpu::memory);
  if (!state.bar1_total_bytes.known()) return code_of(state.bar1_total_bytes.code());
  const MemorySplit split = bar1(state);
  *bar1Memory = {split.total, split.free, split.used};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetConfComputeProtectedMemoryUsage(const Device& gpu, nvmlMemory_t* memory) {
  const Memory state = fetch(gpu, &Gpu::memory);
  if (!state.protected_total_bytes.known()) return code_of(state.protected_total_bytes.code());
  const MemorySplit split = protected_memory(state);
  *memory = {split.total, split.free, split.used};
  return NVML_SUCCESS;
}

}  // namespace nvmlab::driver::hooks
