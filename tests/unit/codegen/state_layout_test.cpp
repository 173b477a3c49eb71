// SPDX-License-Identifier: Apache-2.0
// What lies where in the state: lists behind what a board always tells, topics of large lists behind all others.
#include "codegen/emit/state_layout.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "engine/state/generated/state.hpp"
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
  const auto fields = layout_of(vocabulary, false).back().fields;
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields[0]->name, "few");
  EXPECT_EQ(fields[1]->name, "many");
}

TEST(StateLayout, PutsSmallTopicsFirst) {
  const Vocabulary vocabulary = load(kListFirst);
  const auto topics = layout_of(vocabulary, false);
  ASSERT_EQ(topics.size(), 2U);
  EXPECT_EQ(topics[0].topic->name, "beta");
  EXPECT_TRUE(layout_of(vocabulary, true).empty());
}

// Where a row stands in its file decides nothing, so a store is not refused for it.
TEST(StateLayout, HashesTheLayoutAndNotTheFile) {
  EXPECT_EQ(layout_hash(load(kListFirst)), layout_hash(load(kListLast)));
  EXPECT_NE(layout_hash(load(kListFirst)), layout_hash(load("  few: {type: u64, kind: live, doc: Few}\n")));
}

// Topics of so many numbers and a list of so many items, written as "name: fields in order".
std::string layout_of_topics(const std::vector<std::tuple<std::string, unsigned, unsigned>>& topics) {
  const TemporaryFolder folder;
  for (const auto& [name, numbers, items] : topics) {
    std::string text = "topic: " + name + "\nof: gpu\ndoc: Some.\nfields:\n";
    for (unsigned i = 0; i < numbers; ++i)
      text += fmt::format("  n{}: {{type: u32, kind: live, doc: One}}\n", i);
    folder.write(name + ".yaml",
                 text + fmt::format("  list: {{type: 'list(u64, {})', kind: live, doc: Many}}\n", items));
  }
  const auto vocabulary = load_vocabulary(folder.path());
  EXPECT_TRUE(vocabulary) << vocabulary.error().text();
  std::string text;
  for (const auto& [topic, fields] : layout_of(*vocabulary, false))
    text += fmt::format("{}: {} .. {}\n", topic->name, fields.front()->name, fields.back()->name);
  return text;
}

// Small topics, then those with the longest heads, every second of them behind its list; then large ones, and last what
// is a list alone.
TEST(StateLayout, LetsTwoTopicsWithListsShareAPage) {
  EXPECT_EQ(layout_of_topics({{"empty", 0, 600},
                              {"first", 32, 600},
                              {"large", 64, 2000},
                              {"second", 16, 600},
                              {"small", 2, 16},
                              {"third", 8, 600}}),
            "small: n0 .. list\nfirst: n0 .. list\nsecond: list .. n15\nthird: n0 .. list\nlarge: list .. n63\n"
            "empty: list .. list\n");
}

// What monitors read of every GPU: the small topics, and the heads of the others two by two.
TEST(StateLayout, KeepsWhatMonitorsReadTogether) {
  constexpr std::size_t kPage = 4096;
  for (const std::size_t offset : {offsetof(Gpu, modes), offsetof(Gpu, pci), offsetof(Gpu, identity),
                                   offsetof(Gpu, thermal), offsetof(Gpu, cuda), offsetof(Gpu, topology)}) {
    EXPECT_LT(offset, kPage);
  }
  EXPECT_LT(offsetof(Gpu, fabric.state) - offsetof(Gpu, power.draw_mw), kPage / 4);
  EXPECT_LT(offsetof(Gpu, nvlink.links) - offsetof(Gpu, utilization.gpu_percent), kPage / 4);
  EXPECT_LT(offsetof(Gpu, clocks.graphics_mhz) - offsetof(Gpu, memory.used_bytes), kPage / 4);
}

}  // namespace
}  // namespace nvmlab::codegen::test
