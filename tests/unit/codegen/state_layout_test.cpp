// SPDX-License-Identifier: Apache-2.0
// What lies where in the state: lists behind what a board always tells, topics of large lists behind all others.
#include "codegen/emit/state_layout.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "engine/topics/generated/state.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen::test {
namespace {

Vocabulary load(const std::string& fields) {
  const TemporaryFolder folder;
  folder.write("alpha.yaml", "topic: alpha\nof: gpu\ndoc: Lists.\nfields:\n" + fields);
  folder.write("beta.yaml", "topic: beta\nof: gpu\ndoc: Two.\nfields:\n  one: {type: u32, kind: live, doc: One}\n");
  const auto vocabulary = load_vocabulary(folder.path());
  EXPECT_TRUE(vocabulary) << vocabulary.error().text();
  return *vocabulary;
}

constexpr const char* kListFirst =
    "  many: {type: 'list(u64, 16)', kind: live, doc: Many}\n  few: {type: u32, kind: live, doc: Few}\n";
constexpr const char* kListLast =
    "  few: {type: u32, kind: live, doc: Few}\n  many: {type: 'list(u64, 16)', kind: live, doc: Many}\n";

TEST(StateLayout, PutsListsBehindTheFieldsOfTheirTopic) {
  const Vocabulary vocabulary = load(kListFirst);
  const auto fields = in_order_of_layout(*vocabulary.find("alpha"));
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields[0]->name, "few");
  EXPECT_EQ(fields[1]->name, "many");
}

TEST(StateLayout, PutsSmallTopicsFirst) {
  const Vocabulary vocabulary = load(kListFirst);
  const auto topics = in_order_of_layout(vocabulary, false);
  ASSERT_EQ(topics.size(), 2U);
  EXPECT_EQ(topics[0]->name, "beta");
  EXPECT_TRUE(in_order_of_layout(vocabulary, true).empty());
}

// Where a row stands in its file decides nothing, so a store is not refused for it.
TEST(StateLayout, HashesTheLayoutAndNotTheFile) {
  EXPECT_EQ(layout_hash(load(kListFirst)), layout_hash(load(kListLast)));
  EXPECT_NE(layout_hash(load(kListFirst)), layout_hash(load("  few: {type: u64, kind: live, doc: Few}\n")));
}

// What monitors read of every GPU shares a few pages.
TEST(StateLayout, KeepsWhatMonitorsReadTogether) {
  constexpr std::size_t kPages = 3;
  const std::size_t offsets[] = {offsetof(Gpu, modes),   offsetof(Gpu, pci),     offsetof(Gpu, identity),
                                 offsetof(Gpu, thermal), offsetof(Gpu, memory),  offsetof(Gpu, utilization),
                                 offsetof(Gpu, cuda),    offsetof(Gpu, topology)};
  for (const std::size_t offset : offsets)
    EXPECT_LT(offset, kPages * 4096);
}

}  // namespace
}  // namespace nvmlab::codegen::test
