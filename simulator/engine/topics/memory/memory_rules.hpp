// SPDX-License-Identifier: Apache-2.0
// What follows from the memory topic's fields and is therefore not stored. Tests:
// tests/unit/topics/memory_rules_test.cpp.
#pragma once

#include "engine/state/generated/memory.hpp"

namespace nvmlab {

struct MemorySplit {
  std::uint64_t total;
  std::uint64_t reserved;
  std::uint64_t used;
  std::uint64_t free;

  constexpr std::uint64_t occupied() const { return reserved + used; }
};

// Whatever a setter or a fault made of the parts, they never add up to more than the whole.
constexpr MemorySplit split_memory(std::uint64_t total, std::uint64_t reserved, std::uint64_t used) {
  if (reserved > total) reserved = total;
  if (used > total - reserved) used = total - reserved;
  return {total, reserved, used, total - reserved - used};
}

// Of the fields that hold the parts; a part that is not known counts for nothing.
constexpr MemorySplit split_memory(const Fact<std::uint64_t>& total, const Fact<std::uint64_t>& used,
                                   const Fact<std::uint64_t>& reserved = Fact<std::uint64_t>{}) {
  return split_memory(total.value, reserved.value_or(0), used.value_or(0));
}

// By the names that verdicts have for them.
constexpr MemorySplit split_frame_buffer(const Fact<std::uint64_t>& total, const Fact<std::uint64_t>& used,
                                         const Fact<std::uint64_t>& reserved) {
  return split_memory(total, used, reserved);
}
constexpr MemorySplit split_pool(const Fact<std::uint64_t>& total, const Fact<std::uint64_t>& used) {
  return split_memory(total, used);
}

// What confidential computing protects, and what is left of the frame buffer.
struct ProtectedSplit {
  std::uint64_t protected_kib;
  std::uint64_t unprotected_kib;
};

constexpr ProtectedSplit split_protected(const Fact<std::uint64_t>& total, const Fact<std::uint64_t>& secured,
                                         const Fact<std::uint64_t>& reserved) {
  const std::uint64_t shared = secured.value_or(0) + reserved.value_or(0);
  const std::uint64_t whole = total.value_or(0);
  return {secured.value_or(0) >> 10, (whole > shared ? whole - shared : 0) >> 10};
}

}  // namespace nvmlab
