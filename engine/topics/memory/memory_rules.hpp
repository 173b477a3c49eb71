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

// Of the fields that hold the parts; a part that is not known counts for nothing.
constexpr MemorySplit split_memory(const Fact<std::uint64_t>& total, const Fact<std::uint64_t>& used,
                                   const Fact<std::uint64_t>& reserved = Fact<std::uint64_t>{}) {
  return split_memory(total.value, reserved.value_or(0), used.value_or(0));
}

}  // namespace nvmlab
