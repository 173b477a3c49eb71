// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/memory/memory_rules.hpp"

#include <gtest/gtest.h>

namespace nvmlab {
namespace {

TEST(MemorySplit, FreeIsWhatIsLeft) {
  const MemorySplit split = split_memory(1000, 100, 250);
  EXPECT_EQ(split.total, 1000U);
  EXPECT_EQ(split.reserved, 100U);
  EXPECT_EQ(split.used, 250U);
  EXPECT_EQ(split.free, 650U);
}

// Whatever the parts are, they add up to the whole.
TEST(MemorySplit, PartsNeverExceedTheWhole) {
  const std::uint64_t sizes[] = {0, 1, 99, 100, 101, 1000, ~std::uint64_t{0} - 1, ~std::uint64_t{0}};
  for (const std::uint64_t total : sizes) {
    for (const std::uint64_t reserved : sizes) {
      for (const std::uint64_t used : sizes) {
        const MemorySplit split = split_memory(total, reserved, used);
        ASSERT_EQ(split.total, total);
        ASSERT_LE(split.reserved, reserved);
        ASSERT_LE(split.used, used);
        ASSERT_LE(split.reserved, total);
        ASSERT_LE(split.used, total - split.reserved);
        ASSERT_EQ(split.free, total - split.reserved - split.used);
      }
    }
  }
}

TEST(MemorySplit, WhatNobodyStatedIsNothing) {
  Memory memory{};
  memory.total_bytes.set(4096);
  EXPECT_EQ(split_memory(memory.total_bytes, memory.used_bytes, memory.reserved_bytes).free, 4096U);
  memory.used_bytes.set(96);
  memory.reserved_bytes.set(1000);
  EXPECT_EQ(split_memory(memory.total_bytes, memory.used_bytes, memory.reserved_bytes).free, 3000U);
  memory.used_bytes.set_error(15);
  EXPECT_EQ(split_memory(memory.total_bytes, memory.used_bytes, memory.reserved_bytes).free, 3096U);
}

TEST(MemorySplit, Bar1AndProtectedMemoryReserveNothing) {
  Memory memory{};
  memory.bar1_total_bytes.set(500);
  memory.bar1_used_bytes.set(20);
  memory.protected_total_bytes.set(70);
  memory.protected_used_bytes.set(80);
  memory.reserved_bytes.set(400);
  EXPECT_EQ(split_memory(memory.bar1_total_bytes, memory.bar1_used_bytes).free, 480U);
  EXPECT_EQ(split_memory(memory.protected_total_bytes, memory.protected_used_bytes).used, 70U);
  EXPECT_EQ(split_memory(memory.protected_total_bytes, memory.protected_used_bytes).free, 0U);
}

}  // namespace
}  // namespace nvmlab
