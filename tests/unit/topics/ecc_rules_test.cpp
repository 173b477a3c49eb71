// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/ecc/ecc_rules.hpp"

#include <gtest/gtest.h>

namespace nvmlab {
namespace {

TEST(TotalErrors, AreRefusedWhereNothingIsCounted) {
  const Fact<std::uint64_t> total = total_errors(Ecc::Counts{});
  EXPECT_FALSE(total.known());
  EXPECT_EQ(total.code(), kNotSupported);
}

TEST(TotalErrors, AreTheStatedTotalWhereThereIsOne) {
  Ecc::Counts counts{};
  counts.dram.set(3);
  counts.sram.set(4);
  counts.total.set(100);
  EXPECT_EQ(total_errors(counts).value, 100U);
}

// A code that somebody put in place of the total is the answer, whatever could be added up.
TEST(TotalErrors, AStatedRefusalIsTheAnswer) {
  Ecc::Counts counts{};
  counts.dram.set(3);
  counts.total.refuse(15);
  EXPECT_FALSE(total_errors(counts).known());
  EXPECT_EQ(total_errors(counts).code(), 15U);
}

TEST(TotalErrors, ElseAreTheSumOfWhatIsCounted) {
  using Part = Fact<std::uint64_t> Ecc::Counts::*;
  const Part parts[] = {
      &Ecc::Counts::dram,          &Ecc::Counts::sram,           &Ecc::Counts::l1_cache,    &Ecc::Counts::l2_cache,
      &Ecc::Counts::register_file, &Ecc::Counts::texture_memory, &Ecc::Counts::texture_shm, &Ecc::Counts::cbu};
  Ecc::Counts counts{};
  std::uint64_t sum = 0;
  std::uint64_t next = 1;
  for (const Part part : parts) {
    (counts.*part).set(next);
    sum += next;
    next *= 10;
    EXPECT_EQ(total_errors(counts).value, sum);
    EXPECT_TRUE(total_errors(counts).known());
  }
  counts.dram.refuse(15);
  EXPECT_EQ(total_errors(counts).value, sum - 1) << "a refused part counts for nothing";
}

TEST(TotalErrors, ZeroIsACountToo) {
  Ecc::Counts counts{};
  counts.sram.set(0);
  EXPECT_TRUE(total_errors(counts).known());
  EXPECT_EQ(total_errors(counts).value, 0U);
}

}  // namespace
}  // namespace nvmlab
