// SPDX-License-Identifier: Apache-2.0
#include "base/yaml/tree.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace nvmlab::yaml {
namespace {

std::string failure(std::string_view text) {
  auto parsed = parse(text, "t.yaml");
  return parsed ? "parsed" : parsed.error().text();
}

TEST(YamlTree, RemembersWhereEverythingStood) {
  auto root = parse("a: 1\nb:\n  - x\n  - {c: null, d: \"~\"}\n", "t.yaml");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->find("a")->scalar, "1");
  EXPECT_EQ(root->find("a")->error("here").text(), "t.yaml:1:4: here");
  const Node& second = root->find("b")->items.at(1);
  EXPECT_EQ(second.place.line, 4u);
  EXPECT_EQ(second.place.column, 5u);
  EXPECT_TRUE(second.find("c")->is_null());
  EXPECT_FALSE(second.find("d")->is_null());  // in quotes it is a text
  EXPECT_EQ(root->find("nowhere"), nullptr);
}

TEST(YamlTree, AnEmptyDocumentIsNothing) {
  for (const char* text : {"", "# only a comment\n", "---\n"}) {
    auto root = parse(text, "t.yaml");
    ASSERT_TRUE(root) << text;
    EXPECT_TRUE(root->is_null()) << text;
  }
}

TEST(YamlTree, AliasesAreCopies) {
  auto root = parse("a: &x [1, 2]\nb: *x\n", "t.yaml");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->find("b")->items.size(), 2u);
}

TEST(YamlTree, RefusesWithAPlace) {
  EXPECT_EQ(failure("a: 1\na: 2\n"), "t.yaml:2:1: 'a' stands here a second time; the first is in line 1");
  EXPECT_EQ(failure("a: *x\n"), "t.yaml:1:4: an alias to an anchor that is not defined before it");
  EXPECT_EQ(failure("a: &x [1, *x]\n"), "t.yaml:1:11: an alias to an anchor that is not defined before it");
  EXPECT_EQ(failure("? [1]\n: 2\n"), "t.yaml:1:3: a key must be a plain word");
  EXPECT_EQ(failure("a: 1\n---\nb: 2\n"), "t.yaml:2:1: a second document; one file holds one");
  EXPECT_TRUE(failure("a: [1, 2").starts_with("t.yaml:2:1: not YAML: ")) << failure("a: [1, 2");
  EXPECT_TRUE(failure("a:\n\t- b\n").starts_with("t.yaml:2:1: not YAML: ")) << failure("a:\n\t- b\n");
  constexpr std::string_view with_nul("a: \0b\n", 6);
  EXPECT_TRUE(failure(with_nul).contains("not YAML: ")) << failure(with_nul);
  EXPECT_TRUE(failure("a: \xFF\xFE\x41\n").contains("not YAML: "));
}

TEST(YamlTree, WhatIsNoTextIsToldWithItsPlace) {
  EXPECT_TRUE(failure("a: 1\nb: x\xff\n").starts_with("t.yaml:2:5: not YAML: ")) << failure("a: 1\nb: x\xff\n");
  const std::string nul("a: 1\nbc: \0\n", 11);
  EXPECT_TRUE(failure(nul).starts_with("t.yaml:2:5: not YAML: ")) << failure(nul);
}

TEST(YamlTree, DeepNestingIsRefusedAndDoesNotOverflow) {
  const std::string deep = std::string(100'000, '[');
  EXPECT_TRUE(failure(deep).ends_with("nested deeper than 64 levels")) << failure(deep);
  EXPECT_EQ(failure(std::string(60, '[') + std::string(60, ']')), "parsed");
}

// Each line is within the limit, and what the last one stands for is not.
TEST(YamlTree, NestingByAliasesIsNesting) {
  const auto nested = [](unsigned levels, const std::string& inner) {
    return std::string(levels, '[') + inner + std::string(levels, ']') + "\n";
  };
  const std::string first = "a: &a " + nested(40, "1");
  EXPECT_EQ(failure(first + "b: " + nested(22, "*a")), "parsed");
  EXPECT_TRUE(failure(first + "b: &b " + nested(40, "*a")).ends_with("nested deeper than 64 levels"));
  EXPECT_TRUE(failure(first + "b: &b " + nested(20, "*a") + "c: " + nested(20, "*b"))
                  .ends_with("nested deeper than 64 levels"));
  EXPECT_EQ(failure(first + "b: &b " + nested(20, "2") + "c: " + nested(20, "*b")), "parsed");
}

TEST(YamlTree, AliasBombsAreRefusedBeforeTheyGrow) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string previous = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k)
      bomb += previous + (k < 9 ? ", " : "]\n");
  }
  EXPECT_TRUE(failure(bomb).ends_with("more than a million values")) << failure(bomb);
}

TEST(YamlTree, FilesThatCannotBeRead) {
  auto missing = parse_file("/nowhere/at/all.yaml");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().text(), "/nowhere/at/all.yaml: there is no such file");
  auto folder = parse_file("/");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().text(), "/: is a folder, not a file");
  auto endless = parse_file("/dev/zero");
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().text(), "/dev/zero:1:1: larger than 16 MiB");
}

TEST(YamlTree, AnErrorWithoutAFileIsItsMessage) { EXPECT_EQ(Place{}.error("just this").text(), "just this"); }

}  // namespace
}  // namespace nvmlab::yaml
