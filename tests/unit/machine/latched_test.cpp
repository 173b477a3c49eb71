// SPDX-License-Identifier: Apache-2.0
#include "engine/store/latched.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>

#include "engine/store/store.hpp"

namespace nvmlab {
namespace {

template <class State>
void expect_turns() {
  const auto slot = std::make_unique<Latched<State>>();
  std::set<std::uint64_t> seen;
  std::uint64_t sequence = 0;
  for (unsigned turn = 0; turn < 1000; ++turn) {
    EXPECT_EQ(sequence & 1, turn % 2);
    ASSERT_EQ(&copy_in(*slot, sequence), &slot->copies[turn % 2]) << turn;
    ASSERT_TRUE(seen.insert(sequence).second) << "a reader would miss what was published";
    sequence = sequence_behind(*slot, sequence);
  }
}

TEST(Latched, PublishesOneCopyAfterTheOther) {
  expect_turns<Gpu>();
  expect_turns<Node>();
}

template <class State>
void expect_within() {
  const auto slot = std::make_unique<Latched<State>>();
  std::mt19937_64 random(7);
  for (unsigned i = 0; i < 100'000; ++i) {
    const State* copy = &copy_in(*slot, i == 0 ? ~std::uint64_t{0} : random());
    ASSERT_GE(copy, &slot->copies[0]);
    ASSERT_LE(copy, &slot->copies[1]);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(copy) % alignof(State), 0U);
  }
}

TEST(Latched, ADamagedSequenceLeadsNowhereElse) {
  expect_within<Gpu>();
  expect_within<Node>();
}

}  // namespace
}  // namespace nvmlab
