// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/walk/rules.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "base/temp_folder.hpp"

namespace nvmlab::codegen::walk {
namespace {

// What the file says, as rules.
Result<Rules> read(const std::string& text) {
  const TempFolder folder("nvmlgen-test");
  const auto path = folder.path() / "walk_rules.yaml";
  std::ofstream(path) << text;
  return load_rules(path);
}

TEST(WalkRules, AStarStandsForAnything) {
  EXPECT_TRUE(fits("nvmlA*.index", "nvmlAbc.index"));
  EXPECT_TRUE(fits("nvmlA*c*.index", "nvmlAbcd.index"));
  EXPECT_FALSE(fits("nvmlA*.index", "nvmlB.index"));
  EXPECT_FALSE(fits("nvmlA*.index", "nvmlAbc.indices"));
  EXPECT_TRUE(fits("index", "nvmlAbc.index"));
  EXPECT_FALSE(fits("index", "nvmlAbc.theindex"));
  EXPECT_TRUE(fits("*", "anything"));
}

TEST(WalkRules, TheFirstRowThatFitsCounts) {
  const auto rules = read(
      "inputs:\n  nvmlA.link: {values: [1, 2]}\n  link: {numbers: 4, while_supported: yes}\n  pid: {seen: "
      "[nvmlX.pids]}\n"
      "identifiers: {number: [uuid, nvmlP*.value], host: [name]}\n");
  ASSERT_TRUE(rules) << rules.error().message;
  ASSERT_NE(rules->input("nvmlA.link"), nullptr);
  EXPECT_EQ(rules->input("nvmlA.link")->values, (std::vector<long long>{1, 2}));
  EXPECT_EQ(rules->input("nvmlB.link")->numbers, "4");
  EXPECT_TRUE(rules->input("nvmlB.link")->while_supported);
  EXPECT_EQ(rules->input("nvmlB.other"), nullptr);
  EXPECT_FALSE(rules->inputs[2].used);
  EXPECT_EQ(rules->mask("nvmlPdi_v1_t.value"), "number");
  EXPECT_EQ(rules->mask("nvmlQ.value"), "none");
  EXPECT_EQ(rules->mask("nvmlQ.name"), "host");
}

TEST(WalkRules, MistakesAreReportedWithTheirPlace) {
  for (const auto& [text, words] : {std::pair{"inputs: {link: {sometimes: 3}}\n", "'sometimes' is none of"},
                                    std::pair{"inputs: {link: {numbers: 3, values: [1]}}\n", "needs one of"},
                                    std::pair{"inputs: {link: {}}\n", "needs one of"},
                                    std::pair{"identifiers: {colour: [x]}\n", "'colour' is none of"}}) {
    const auto rules = read(text);
    ASSERT_FALSE(rules) << text;
    EXPECT_NE(rules.error().message.find(words), std::string::npos) << rules.error().message;
  }
  EXPECT_FALSE(load_rules("/nowhere/recording.yaml"));
}

}  // namespace
}  // namespace nvmlab::codegen::walk
