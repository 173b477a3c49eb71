// SPDX-License-Identifier: Apache-2.0
// Derived fields: what a capture showed comes back, and moves with what it follows from.
#include "engine/topics/derived.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "engine/topics/ecc/ecc_rules.hpp"
#include "tests/unit/changes/rows.hpp"

namespace nvmlab::changes_test {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

const Row* find_row(const std::vector<Row>& rows, const std::string& path) {
  for (const Row& row : rows) {
    if (row.path == path) return &row;
  }
  return nullptr;
}

// The row that a derived row names as its input: by its path, or beside it.
const Row* input_of(const std::vector<Row>& rows, const Row& derived, const std::string& name) {
  if (name.find('.') != std::string::npos) return find_row(rows, name);
  return find_row(rows, derived.path.substr(0, derived.path.rfind('.') + 1) + name);
}

void add_to(Gpu& gpu, const Row& row, std::uint32_t amount) {
  const std::uint64_t value = value_at(gpu, *row.field, row.offset) + amount;
  std::memcpy(reinterpret_cast<std::byte*>(&gpu) + row.offset, &value, row.field->type == FieldType::u64 ? 8 : 4);
}

TEST(Derived, WhatWasCapturedIsTold) {
  const auto captured = std::make_unique<Gpu>();
  fill(*captured, 500);
  captured->clocks.event_reasons.set(0x8 | 0x40 | 0x4);
  const auto stored = std::make_unique<Gpu>(*captured);
  derived::store_residues(*stored);
  const auto told = std::make_unique<Gpu>(*stored);
  derived::compute(*told);
  EXPECT_EQ(std::memcmp(told.get(), captured.get(), sizeof(Gpu)), 0);
}

TEST(Derived, EveryRowFollowsEachOfItsInputs) {
  const std::vector<Row> rows = rows_of_gpu();
  std::size_t followed = 0;
  for (const Row& row : rows) {
    for (const std::string& name : words_of(row.field->derived_from)) {
      const Row* const input = input_of(rows, row, name);
      ASSERT_NE(input, nullptr) << row.path << " follows from " << name << ", which is no field";
      if (input->path == row.path) continue;
      const auto before = std::make_unique<Gpu>();
      fill(*before, 500);
      derived::store_residues(*before);
      const auto after = std::make_unique<Gpu>(*before);
      add_to(*after, *input, 3);
      derived::compute(*before);
      derived::compute(*after);
      const auto moved = static_cast<std::int64_t>(value_at(*after, *row.field, row.offset)) -
                         static_cast<std::int64_t>(value_at(*before, *row.field, row.offset));
      EXPECT_EQ(moved < 0 ? -moved : moved, 3) << row.path << " does not follow " << name;
      ++followed;
    }
  }
  EXPECT_GE(followed, 3U + 4U * 8U);
}

TEST(Derived, WithoutItsInputsACaptureStands) {
  const auto gpu = std::make_unique<Gpu>();
  gpu->power.enforced_limit_mw.set(250'000);
  gpu->thermal.tlimit_c.set(-4);
  gpu->ecc.corrected_volatile.total.set(7);
  derived::store_residues(*gpu);
  EXPECT_EQ(derived::enforced_limit(*gpu).value, 250'000U);
  EXPECT_EQ(derived::margin_to_limit(*gpu).value, -4);
  EXPECT_EQ(total_errors(gpu->ecc.corrected_volatile).value, 7U);
}

TEST(Derived, ALimitThatWasHeldBackNeverFallsBelowZero) {
  const auto gpu = std::make_unique<Gpu>();
  gpu->power.limit_mw.set(300'000);
  gpu->power.enforced_limit_mw.set(100'000);
  derived::store_residues(*gpu);
  gpu->power.limit_mw.set(250'000);
  EXPECT_EQ(derived::enforced_limit(*gpu).value, 50'000U);
  gpu->power.limit_mw.set(150'000);
  EXPECT_EQ(derived::enforced_limit(*gpu).value, 0U);
}

TEST(Derived, HardwareReasonsAreSummedUp) {
  EXPECT_EQ(derived::with_summary(0x40), 0x48U);
  EXPECT_EQ(derived::with_summary(0x80 | 0x4), 0x8CU);
  EXPECT_EQ(derived::with_summary(0x24), 0x24U);
  EXPECT_EQ(derived::with_summary(0x8), 0x8U) << "a capture that shows the summary alone";
}

TEST(Derived, HoldGivesAnyDerivedFieldItsValue) {
  for (const Row& row : rows_of_gpu()) {
    if (*row.field->derived_from == '\0' || row.path == "clocks.event_reasons") continue;
    const auto gpu = std::make_unique<Gpu>();
    fill(*gpu, 500);
    std::uint64_t wanted[2] = {77, 0};
    if (row.field->type != FieldType::u64) wanted[0] |= std::uint64_t{kSuccess ^ kNotSupported} << 32;
    if (row.field->type == FieldType::u64) wanted[1] = kSuccess ^ kNotSupported;
    EXPECT_TRUE(derived::hold(*gpu, row.offset, wanted)) << row.path;
    derived::compute(*gpu);
    EXPECT_EQ(value_at(*gpu, *row.field, row.offset), 77U) << row.path;
  }
}

}  // namespace
}  // namespace nvmlab::changes_test
