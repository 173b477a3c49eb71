// SPDX-License-Identifier: Apache-2.0
// What follows from the memory topic's fields and is therefore not stored. Tests:
// tests/unit/topics/memory_rules_test.cpp.
#pragma once

#include "engine/topics/generated/memory.hpp"

namespace nvmlab {

struct MemorySplit {
  std::uint64_t total;
  std::uint64_t reserved;
  std::uint64_t used;
  std::uint64_t free;
};

// Whatever a setter or a fault made of the parts, they never add up to more than the whole.
constexpr MemorySplit split_memory(std::uint64_t total, std::uint64_t reserved, std::uint64_t used) {
  if (reserved > total) reserved = total;
  if (used > total - reserved) used = total - reserved;
  return {total, reserved, used, total - reserved - used};
}

constexpr MemorySplit frame_buffer(const Memory& memory) {
  return split_memory(memory.total_bytes.value, memory.reserved_bytes.value_or(0), memory.used_bytes.value_or(0));
}

constexpr MemorySplit bar1(const Memory& memory) {
  return split_memory(memory.bar1_total_bytes.value, 0, memory.bar1_used_bytes.value_or(0));
}

constexpr MemorySplit protected_memory(const Memory& memory) {
  return split_memory(memory.protected_total_bytes.value, 0, memory.protected_used_bytes.value_or(0));
}

}  // namespace nvmlab
