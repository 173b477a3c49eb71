// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/ecc/ecc_rules.hpp"

#include <gtest/gtest.h>

#include "engine/topics/generated/resets.hpp"

namespace nvmlab {
namespace {

TEST(TotalErrors, AreRefusedWhereNothingIsCounted) {
  const Fact<std::uint64_t> total = total_errors(Ecc::Counts{});
  EXPECT_FALSE(total.has_value());
  EXPECT_EQ(total.code(), kNotSupported);
}

TEST(TotalErrors, AreTheStatedTotalWhereThereIsOne) {
  Ecc::Counts counts{};
  counts.dram.set(3);
  counts.sram.set(4);
  Fact<std::uint64_t> stated{};
  stated.set(100);
  counts.total = derived::residue_of(stated, sum_of_parts(counts));
  EXPECT_EQ(total_errors(counts).value, 100U);
  counts.dram.set(5);
  EXPECT_EQ(total_errors(counts).value, 102U) << "it follows its parts";
}

// A code that somebody put in place of the total is the answer, whatever could be added up.
TEST(TotalErrors, AStatedRefusalIsTheAnswer) {
  Ecc::Counts counts{};
  counts.dram.set(3);
  counts.total.set_error(15);
  EXPECT_FALSE(total_errors(counts).has_value());
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
    EXPECT_TRUE(total_errors(counts).has_value());
  }
  counts.dram.set_error(15);
  EXPECT_EQ(total_errors(counts).value, sum - 1) << "a refused part counts for nothing";
}

TEST(TotalErrors, ZeroIsACountToo) {
  Ecc::Counts counts{};
  counts.sram.set(0);
  EXPECT_TRUE(total_errors(counts).has_value());
  EXPECT_EQ(total_errors(counts).value, 0U);
}

TEST(Correction, HasToBeOnForErrorsToCount) {
  Ecc ecc{};
  EXPECT_EQ(correction_missing(ecc.mode), kNotSupported) << "a board without it";
  ecc.mode.set_error(15);
  EXPECT_EQ(correction_missing(ecc.mode), 15U);
  ecc.mode.set(0);
  EXPECT_EQ(correction_missing(ecc.mode), kNotSupported);
  ecc.mode.set(1);
  EXPECT_EQ(correction_missing(ecc.mode), kSuccess);
}

TEST(RemappedRows, AreInUseWhereTheyAreNotInactive) {
  Fact<std::uint32_t> all{};
  Fact<std::uint32_t> inactive{};
  EXPECT_EQ(active_remaps(all, inactive), 0U);
  all.set(5);
  EXPECT_EQ(active_remaps(all, inactive), 5U);
  inactive.set(2);
  EXPECT_EQ(active_remaps(all, inactive), 3U);
  inactive.set(9);
  EXPECT_EQ(active_remaps(all, inactive), 0U) << "never below zero";
}

TEST(Clearing, LeavesRefusedCountersAndTheOtherKindAlone) {
  Ecc ecc{};
  ecc.corrected_volatile.dram.set(3);
  ecc.corrected_aggregate.dram.set(4);
  ecc.sram.volatile_parity.set(5);
  ecc.sram.source_sm.set(6);
  ecc.sram_unique.count = 2;
  clear_ecc_volatile(ecc);
  EXPECT_EQ(ecc.corrected_volatile.dram.value, 0U);
  EXPECT_EQ(ecc.sram.volatile_parity.value, 0U);
  EXPECT_EQ(ecc.corrected_aggregate.dram.value, 4U);
  EXPECT_EQ(ecc.sram_unique.size(), 2U);
  EXPECT_FALSE(ecc.corrected_volatile.sram.has_value());
  clear_ecc_aggregate(ecc);
  EXPECT_EQ(ecc.corrected_aggregate.dram.value + ecc.sram.source_sm.value, 0U);
  EXPECT_EQ(ecc.sram_unique.size(), 0U);
  EXPECT_FALSE(ecc.sram.source_l2.has_value());
}

}  // namespace
}  // namespace nvmlab
