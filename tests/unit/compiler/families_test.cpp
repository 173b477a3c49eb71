// SPDX-License-Identifier: Apache-2.0
//
// Several families for one profile, and that the shipped profiles use them: what is equal stands in the family, once.
#include <gtest/gtest.h>

#include <cstring>

#include "compiler/compile.hpp"
#include "compiler/layers.hpp"
#include "compiler/shipped.hpp"
#include "tests/unit/compiler/scratch.hpp"

namespace nvmlab::compiler {
namespace {

constexpr const char* kHead =
    "sources: {s: {kind: assumed, why: a test}}\nsource: s\nsystem: {driver_version: 550.163.01}\n";

class Families : public testing::Test {
 protected:
  std::string family(const std::string& name, const std::string& rest) {
    return scratch_.file(name + ".yaml", "profile: " + name + "\nabstract: true\n" + kHead + rest);
  }
  std::expected<Machine, Problems> board(const std::string& rest) {
    return compile(scratch_.file("board.yaml", "profile: board\n" + std::string(kHead) + rest));
  }
  test::Scratch scratch_;
};

TEST_F(Families, TheLaterLiesOverTheEarlier) {
  family("one", "thermal: {gpu_c: 1, memory_c: 1, slowdown_c: 1}\n");
  family("two", "thermal: {memory_c: 2, slowdown_c: 2}\n");
  const auto made = board("inherits: [one, two]\nthermal: {slowdown_c: 3}\n");
  ASSERT_TRUE(made) << describe(made.error());
  EXPECT_EQ(made->gpu(0).thermal.gpu_c.value_or(0), 1U);
  EXPECT_EQ(made->gpu(0).thermal.memory_c.value_or(0), 2U);
  EXPECT_EQ(made->gpu(0).thermal.slowdown_c.value_or(0), 3U);
}

TEST_F(Families, OneThatIsReachedTwiceCountsOnce) {
  family("all", "thermal: {gpu_c: 1}\n");
  family("one", "inherits: all\nthermal: {gpu_c: 2}\n");
  family("two", "inherits: all\nthermal: {memory_c: 2}\n");
  const auto made = board("inherits: [one, two]\n");
  ASSERT_TRUE(made) << describe(made.error());
  EXPECT_EQ(made->gpu(0).thermal.gpu_c.value_or(0), 2U) << "what both inherit does not undo what one of them says";
}

TEST_F(Families, ALatticeOfFilesTakesNoLonger) {
  constexpr int deep = 30;  // 2^30 ways from the top to the bottom
  for (int i = 0; i < deep; ++i) {
    const auto below = std::to_string(i + 1);
    const std::string rest = i + 1 < deep ? "inherits: [a" + below + ", b" + below + "]\n" : "";
    family("a" + std::to_string(i), rest);
    family("b" + std::to_string(i), rest);
  }
  const auto made = board("inherits: [a0, b0]\nthermal: {gpu_c: 1}\n");
  ASSERT_TRUE(made) << describe(made.error());
}

TEST_F(Families, MistakesInTheListHaveTheirPlace) {
  const auto problem = [&](const std::string& rest) {
    const auto made = board(rest);
    return made ? "" : test::without(scratch_.folder(), describe(made.error()));
  };
  EXPECT_EQ(problem("inherits: []\n"),
            "board.yaml:5:11: an empty list was found; the name of a profile would be right\n");
  EXPECT_EQ(problem("inherits: [hopper, [t4]]\n"),
            "board.yaml:5:20: a list was found; the name of a profile would be right\n");
  EXPECT_EQ(problem("inherits: [hopper, board]\n"),
            "board.yaml:5:20: 'board' inherits itself in the end; break the circle\n");
}

// What a profile inherits, without itself.
GpuDraft inherited(const ShippedProfile& profile, const Document& document, Documents& documents, Problems& problems) {
  std::string text = "profile: nothing\nabstract: true\ninherits: [";
  for (const Document* base : document.bases)
    text += (base == document.bases.front() ? "" : ", ") + base->name;
  const Document* without = documents.open_text(text + "]\n", std::string(profile.name) + "-without", "nothing");
  GpuDraft gpu;
  NodeDraft node;
  Layers(documents, problems).apply_profile(*without, gpu, node);
  return gpu;
}

void expect_nothing_repeated(const ShippedProfile& profile) {
  Problems problems;
  Documents documents(problems);
  const Document* document = documents.open_text(profile.text, std::string(profile.file), std::string(profile.name));
  ASSERT_NE(document, nullptr);
  if (document->bases.empty()) return;
  GpuDraft own;
  NodeDraft node;
  Layers(documents, problems).apply_profile(*document, own, node);
  GpuDraft base = inherited(profile, *document, documents, problems);
  ASSERT_TRUE(problems.empty()) << describe(problems);

  const auto check = [&](const Topic& topic, const Field& field, const Field* member) {
    const auto leaf = leaf_of(topic, field, member);
    const Mark& mark = own.marks[leaf];
    if (mark.source == nullptr || mark.source->profile != profile.name) return;
    const Mark& before = base.marks[leaf];
    const std::size_t offset = topic.offset + field.offset + (member == nullptr ? 0 : member->offset);
    const std::uint32_t size = member == nullptr ? field.size : member->size;
    if (std::memcmp(own.bytes() + offset, base.bytes() + offset, size) != 0) return;
    // The same value from better evidence is worth saying.
    const bool better =
        before.source != nullptr && (before.source->kind == "assumed" || before.source->kind == "derived");
    EXPECT_TRUE(better) << profile.file << " repeats " << topic.table.name << "." << field.name
                        << (member == nullptr ? "" : std::string(".") + member->name)
                        << (before.source == nullptr ? ", which nothing inherited says either" : "");
  };
  for (const Topic& topic : topics()) {
    for (std::uint32_t i = 0; !topic.of_node && i < topic.table.field_count; ++i) {
      const Field& field = topic.table.fields[i];
      if (field.type != FieldType::record) check(topic, field, nullptr);
      for (std::uint32_t m = 0; field.type == FieldType::record && m < field.record->field_count; ++m)
        check(topic, field, &field.record->fields[m]);
    }
  }
}

TEST(ShippedFamilies, NoProfileRepeatsWhatItInherits) {
  for (const ShippedProfile& profile : shipped_profiles()) {
    if (!profile.machine) expect_nothing_repeated(profile);
  }
}

}  // namespace
}  // namespace nvmlab::compiler
