// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/memory/memory_changes.hpp"

#include <cstring>

#include "engine/topics/generated/field_rules.hpp"

namespace nvmlab {
namespace {

using Limits = decltype(Memory::limits);

bool is_sound(std::uint64_t total, std::uint64_t soft, std::uint64_t hard) {
  return soft <= total && (hard <= total || hard == kNoHardLimit) && soft <= hard;
}

void erase(Limits& list, std::uint32_t at) {
  list[at] = list[list.size() - 1];
  list[list.size() - 1] = {};
  --list.count;
}

}  // namespace

Code rules::settle_memory_limits(GpuEdit& gpu, std::uint32_t item, const Written&) {
  Memory& memory = gpu.edit(&Gpu::memory);
  if (const Code code = check_memory_limits(memory); code != kSuccess) return code;
  const Memory::Limit& limit = memory.limits[item];
  const std::uint64_t soft = limit.soft_bytes.value_or(0);
  const std::uint64_t hard = limit.hard_bytes.value_or(kNoHardLimit);
  if (!is_sound(memory.total_bytes.value_or(0), soft, hard)) return kInvalidArgument;
  if (soft == 0 && hard == kNoHardLimit) erase(memory.limits, item);
  return kSuccess;
}

Code check_memory_limits(const Memory& memory) {
  if (!memory.limits_supported.has_value()) return memory.limits_supported.code();
  return memory.limits_supported.value != 0 ? kSuccess : kNotSupported;
}

std::uint32_t position_of_limit(const Memory& memory, const char* cgroup) {
  std::uint32_t at = 0;
  while (at < memory.limits.size() && std::strcmp(memory.limits[at].cgroup.data, cgroup) != 0)
    ++at;
  return at;
}

Code make(const SetMemoryLimit& change, GpuEdit& gpu) {
  const Memory& memory = gpu.view(&Gpu::memory);
  if (const Code code = check_memory_limits(memory); code != kSuccess) return code;
  if (!is_sound(memory.total_bytes.value_or(0), change.soft_bytes, change.hard_bytes)) return kInvalidArgument;
  const std::uint32_t at = position_of_limit(memory, change.cgroup);
  Limits& list = gpu.edit(&Gpu::memory).limits;
  if (change.soft_bytes == 0 && change.hard_bytes == kNoHardLimit) {
    if (at < list.size()) erase(list, at);
    return kSuccess;
  }
  if (at == list.capacity) return kInsufficientResources;
  if (at == list.size()) {
    list[at] = {};
    list[at].cgroup.set(change.cgroup, static_cast<std::uint32_t>(std::strlen(change.cgroup)));
    list[at].used_bytes.set(0);
    ++list.count;
  }
  list[at].soft_bytes.set(change.soft_bytes);
  list[at].hard_bytes.set(change.hard_bytes);
  return kSuccess;
}

}  // namespace nvmlab
