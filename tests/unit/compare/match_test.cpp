// SPDX-License-Identifier: Apache-2.0
//
// Which GPU is compared with which.
#include <gtest/gtest.h>

#include "tests/unit/compare/made_up.hpp"

namespace nvmlab::compare {
namespace {

Side gpus(const std::vector<std::pair<std::string, std::string>>& uuids_and_addresses) {
  Side made;
  for (const auto& [uuid, address] : uuids_and_addresses)
    made.gpus.push_back({{}, uuid, address, {}});
  return made;
}

using Pairs = std::vector<Pair>;

TEST(Match, ByUuidWhereEveryGpuOfTheSmallerSideIsFound) {
  const Matching found = match(gpus({{"A", "1"}, {"B", "2"}, {"C", "3"}}), gpus({{"C", "1"}, {"A", "2"}}));
  EXPECT_EQ(found.how, Matched::uuid);
  EXPECT_EQ(found.pairs, (Pairs{{0, 1}, {2, 0}}));
  EXPECT_EQ(found.only_a, std::vector<int>{1});
  EXPECT_TRUE(found.only_b.empty());
}

TEST(Match, ByAddressWhereUuidsDoNotMeet) {
  const Matching found = match(gpus({{"A", "1"}, {"B", "2"}}), gpus({{"C", "2"}, {"D", "1"}}));
  EXPECT_EQ(found.how, Matched::address);
  EXPECT_EQ(found.pairs, (Pairs{{0, 1}, {1, 0}}));
}

TEST(Match, OneUnknownGpuIsEnoughToGoByIndex) {
  const Matching found = match(gpus({{"A", "1"}, {"B", "2"}}), gpus({{"B", "9"}, {"C", "8"}, {"D", "7"}}));
  EXPECT_EQ(found.how, Matched::index);
  EXPECT_EQ(found.pairs, (Pairs{{0, 0}, {1, 1}}));
  EXPECT_EQ(found.only_b, std::vector<int>{2});
}

TEST(Match, ANameThatTwoShareNamesNobody) {
  const Matching found = match(gpus({{"A", "1"}, {"A", "2"}}), gpus({{"A", "2"}, {"A", "1"}}));
  EXPECT_EQ(found.how, Matched::address);
  EXPECT_EQ(found.pairs, (Pairs{{0, 1}, {1, 0}}));
}

TEST(Match, NoNamesAreNotEqualNames) {
  EXPECT_EQ(match(gpus({{"", ""}}), gpus({{"", ""}})).how, Matched::index);
  EXPECT_TRUE(match(gpus({}), gpus({{"A", "1"}})).pairs.empty());
  EXPECT_EQ(match(gpus({}), gpus({{"A", "1"}})).only_b, std::vector<int>{0});
}

TEST(Match, ABoardStandsForEveryGpuOfTheOther) {
  Side board = gpus({{"A", "1"}});
  board.one_board = true;
  const Side machine = gpus({{"X", "1"}, {"A", "2"}});
  EXPECT_EQ(match(board, machine).how, Matched::board);
  EXPECT_EQ(match(board, machine).pairs, (Pairs{{0, 0}, {0, 1}}));
  EXPECT_EQ(match(machine, board).pairs, (Pairs{{0, 0}, {1, 0}}));
  EXPECT_EQ(match(board, board).pairs, (Pairs{{0, 0}}));
  EXPECT_TRUE(match(board, machine).only_a.empty());
}

TEST(Match, ABoardIsComparedWithItsLikes) {
  Side board = gpus({{"A", "1"}});
  board.one_board = true;
  board.gpus[0].board = "L4";
  Side mixed = gpus({{"X", "1"}, {"Y", "2"}, {"Z", "3"}});
  EXPECT_EQ(match(board, mixed).pairs.size(), 3u) << "nobody is called so";
  mixed.gpus[1].board = "L4";
  EXPECT_EQ(match(board, mixed).pairs, (Pairs{{0, 1}}));
  EXPECT_EQ(match(mixed, board).pairs, (Pairs{{1, 0}}));
}

TEST(Match, MadeUpUuidsAreNotReal) {
  EXPECT_TRUE(is_real_uuid("GPU-5d8e2101-93c7-4b1f-a6e2-71c94fd3b852"));
  EXPECT_FALSE(is_real_uuid("GPU-00000000-0000-0000-0000-000000000001"));
  EXPECT_FALSE(is_real_uuid("GPU-00000001-0000-4000-8000-000000000001"));
  EXPECT_FALSE(is_real_uuid(""));
  EXPECT_FALSE(is_real_uuid("REDACTED"));
}

}  // namespace
}  // namespace nvmlab::compare
