// SPDX-License-Identifier: Apache-2.0
//
// Where GPU instances go: the published sequences, all of them, on an A100 and on an H100; and what ids say of places.
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/mig/boards.hpp"

namespace nvmlab::mig_test {
namespace {

std::string created(MigMachine& machine, const std::string& profiles) {
  std::string ids;
  for (const std::uint32_t profile : numbers(profiles)) {
    const MigLayout before = machine.layout();
    const Code code = machine.make(CreateGpuInstance{profile, kAnyStart, 0});
    if (!ids.empty()) ids += ',';
    if (code == kInsufficientResources) return ids + "FAIL";
    EXPECT_EQ(code, kSuccess);
    const MigLayout after = machine.layout();
    for (std::uint32_t i = 0; i < after.gpu_instances; ++i) {
      const std::uint32_t id = after.gpu_instance[i].id;
      if (before.find(id) == nullptr) ids += std::to_string(id);
    }
  }
  return ids;
}

TEST(MigSequences, AreThoseThatPeoplePublished) {
  const auto rows = table("sequences.tsv");
  EXPECT_EQ(rows.size(), 20U);
  for (const auto& row : rows) {
    for (const char* board : {"a100-sxm4-80gb", "h100-sxm5-80gb"}) {
      MigMachine machine(board, static_cast<std::uint32_t>(std::stoul(row[1])));
      ASSERT_EQ(machine.make(SetMigMode{1}), kSuccess);
      EXPECT_EQ(created(machine, row[2]), row[3]) << row[0] << " on " << board;
      EXPECT_TRUE(possible(machine.board(), machine.layout()));
    }
  }
}

// As NVIDIA's kernel module numbers them: 0, halves 1 and 2, quarters 3 to 6, eighths 7 to 14.
TEST(MigIds, OfPlacesThatOverlapLieAboveOneAnother) {
  for (std::uint32_t missing = 7; missing <= 14; ++missing) {
    const MigMachine machine("h100-sxm5-80gb", missing);
    const MigBoard board = machine.board();
    std::set<std::uint32_t> ids;
    for (const MigProfile& a : board) {
      for (const MigProfile& b : board) {
        for (std::uint32_t x = 0; x < 8; ++x) {
          for (std::uint32_t y = 0; y < 8; ++y) {
            if (!a.starts_at(x) || !b.starts_at(y)) continue;
            const std::uint32_t low = gpu_instance_id(board, x, a.memory_slices);
            const std::uint32_t high = gpu_instance_id(board, y, b.memory_slices);
            ids.insert(low);
            bool above = false;
            for (std::uint32_t up = high; !above; up = (up - 1) / 2) {
              above = up == low;
              if (up == 0) break;
            }
            for (std::uint32_t up = low; !above; up = (up - 1) / 2) {
              above = up == high;
              if (up == 0) break;
            }
            const bool overlap = x < y + b.memory_slices && y < x + a.memory_slices;
            EXPECT_EQ(above, overlap) << low << " and " << high << ", " << missing << " is missing";
          }
        }
      }
    }
    EXPECT_EQ(ids.size(), 14U);
    EXPECT_FALSE(ids.contains(missing));
  }
}

}  // namespace
}  // namespace nvmlab::mig_test
