// SPDX-License-Identifier: Apache-2.0
// Every field starts over as its row says, and no other field moves.
#include "engine/topics/generated/resets.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "tests/unit/changes/rows.hpp"

namespace nvmlab::changes_test {
namespace {

bool names(const std::string& list, const std::string& name) {
  return (" " + list + " ").find(" " + name + " ") != std::string::npos;
}

// A list whose items are gone has no fields any more.
bool emptied(const Row& row, const std::vector<std::string>& lists) {
  for (const std::string& list : lists) {
    if (row.path.starts_with(list + "[")) return true;
  }
  return false;
}

void expect_number(const Row& row, const Gpu& before, const Gpu& after, bool reload) {
  const Field& field = *row.field;
  const bool now = reload ? field.reset == ResetRule::reload
                          : field.reset == ResetRule::to_default || field.reset == ResetRule::pending;
  if (names(row.cleared_by, reload ? "reload" : "reset")) {
    EXPECT_EQ(value_at(after, field, row.offset), 0U) << row.path;
  } else if (!now) {
    EXPECT_EQ(value_at(after, field, row.offset), value_at(before, field, row.offset)) << row.path << " was to be kept";
    EXPECT_TRUE(known_at(after, field, row.offset)) << row.path;
  } else if (field.reset == ResetRule::pending) {
    const Field* const pending = row.sibling(std::string(field.name) + "_pending");
    ASSERT_NE(pending, nullptr) << row.path << " has nothing that is pending";
    EXPECT_EQ(value_at(after, field, row.offset), value_at(before, *pending, row.base + pending->offset)) << row.path;
  } else if (std::string(field.default_value) == "none") {
    EXPECT_FALSE(known_at(after, field, row.offset)) << row.path;
  } else if (const Field* const source = row.sibling(field.default_value)) {
    EXPECT_EQ(value_at(after, field, row.offset), value_at(before, *source, row.base + source->offset)) << row.path;
  } else {
    EXPECT_EQ(value_at(after, field, row.offset), std::stoull(field.default_value)) << row.path;
  }
}

void expect_rows(bool reload_too) {
  const auto before = std::make_unique<Gpu>();
  fill(*before, 1000);
  const auto after = std::make_unique<Gpu>(*before);
  if (reload_too) {
    reload(*after);
  } else {
    start_over(*after);
  }
  std::vector<std::string> emptied_lists;
  std::size_t numbers = 0;
  for (const Row& row : rows_of_gpu()) {
    const bool goes = !reload_too && row.field->reset == ResetRule::to_default;
    if (row.field->type >= FieldType::list_u16 && (goes || names(row.cleared_by, reload_too ? "reload" : "reset"))) {
      EXPECT_EQ(value_at(*after, *row.field, row.offset), 0U) << row.path << " has items";
      emptied_lists.push_back(row.path);
    }
    if (!is_number(*row.field) || emptied(row, emptied_lists)) continue;
    expect_number(row, *before, *after, reload_too);
    ++numbers;
  }
  EXPECT_GT(numbers, 300U) << "hardly anything was looked at";
}

TEST(Resets, FollowEveryRow) { expect_rows(false); }

TEST(Resets, TheDriverThatInitialisesAGpuAnewFollowsEveryRowToo) { expect_rows(true); }

TEST(Resets, GiveABoardNothingThatItDoesNotHave) {
  const auto gpu = std::make_unique<Gpu>();
  const auto none = std::make_unique<Gpu>();
  start_over(*gpu);
  reload(*gpu);
  for (const Row& row : rows_of_gpu()) {
    if (!is_number(*row.field)) continue;
    EXPECT_EQ(known_at(*gpu, *row.field, row.offset), known_at(*none, *row.field, row.offset)) << row.path;
  }
}

TEST(Resets, EverySettingHasARule) {
  std::size_t with_default = 0;
  for (const Row& row : rows_of_gpu()) {
    if (row.field->reset == ResetRule::pending) {
      EXPECT_NE(row.sibling(std::string(row.field->name) + "_pending"), nullptr) << row.path;
    }
    with_default += row.field->reset == ResetRule::to_default ? 1 : 0;
  }
  EXPECT_GT(with_default, 20U);
}

}  // namespace
}  // namespace nvmlab::changes_test
