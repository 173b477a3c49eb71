// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/memory/memory_rules.hpp"

#include "drivers/nvml/hooks/fetch.hpp"

namespace nvmlab::driver {
namespace {

nvmlReturn_t frame_buffer(const Device& gpu, MemorySplit* split) {
  const auto [total, used, reserved] =
      fetch(gpu, &Gpu::memory, &Memory::total_bytes, &Memory::used_bytes, &Memory::reserved_bytes);
  if (total.has_value()) *split = split_memory(total, used, reserved);
  return code_of(total.code());
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetMemoryInfo(const Device& gpu, nvmlMemory_t* memory) {
  MemorySplit split{};
  if (const nvmlReturn_t code = frame_buffer(gpu, &split); code != NVML_SUCCESS) return code;
  *memory = {split.total, split.free,
             split.reserved + split.used};  // the first version has no member for what is reserved
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(const Device& gpu, nvmlMemory_v2_t* memory) {
  MemorySplit split{};
  if (const nvmlReturn_t code = frame_buffer(gpu, &split); code != NVML_SUCCESS) return code;
  memory->total = split.total;
  memory->reserved = split.reserved;
  memory->used = split.used;
  memory->free = split.free;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetBAR1MemoryInfo(const Device& gpu, nvmlBAR1Memory_t* bar1Memory) {
  const auto [total, used] = fetch(gpu, &Gpu::memory, &Memory::bar1_total_bytes, &Memory::bar1_used_bytes);
  if (!total.has_value()) return code_of(total.code());
  const MemorySplit split = split_memory(total, used);
  *bar1Memory = {split.total, split.free, split.used};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetConfComputeProtectedMemoryUsage(const Device& gpu, nvmlMemory_t* memory) {
  const auto [total, used] = fetch(gpu, &Gpu::memory, &Memory::protected_total_bytes, &Memory::protected_used_bytes);
  if (!total.has_value()) return code_of(total.code());
  const MemorySplit split = split_memory(total, used);
  *memory = {split.total, split.free, split.used};
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
