// SPDX-License-Identifier: Apache-2.0
#include "tests/scenarios/scenario.hpp"

#include <gtest/gtest.h>

namespace nvmlab::scenario {
namespace {

constexpr const char* kFile =
    "# A comment.\n"           // 1
    "needs: nvidia-smi-550\n"  // 2
    "\n"
    "$ echo one\n"  // 4
    "one\n"
    "\n"
    "# Another one.\n"
    "$ cat <<END; false\n"  // 8
    "> two\n"
    ">\n"
    "> END\n"
    "two\n"
    "\n"
    "[1]\n"
    "$ true\n";  // 15

TEST(Parse, StepsWithWhatTheyPrintAndHowTheyEnd) {
  const auto scenario = parse(kFile);
  ASSERT_TRUE(scenario) << scenario.error();
  EXPECT_EQ(scenario->needs, (std::vector<std::string>{"nvidia-smi-550"}));
  ASSERT_EQ(scenario->steps.size(), 3u);
  EXPECT_EQ(scenario->steps[0].line, 4u);
  EXPECT_EQ(scenario->steps[0].command, "echo one");
  EXPECT_EQ(scenario->steps[0].expected, (std::vector<std::string>{"one"}));
  EXPECT_EQ(scenario->steps[0].exit_code, 0);
  EXPECT_EQ(scenario->steps[1].command, "cat <<END; false\ntwo\n\nEND");
  EXPECT_EQ(scenario->steps[1].expected, (std::vector<std::string>{"two", ""}));
  EXPECT_EQ(scenario->steps[1].exit_code, 1);
  EXPECT_EQ(scenario->steps[2].line, 15u);
  EXPECT_TRUE(scenario->steps[2].expected.empty());
}

TEST(Parse, WhatIsWrongIsSaidWithItsLine) {
  const auto error = [](const char* text) {
    const auto scenario = parse(text);
    return scenario ? "nothing" : scenario.error();
  };
  EXPECT_TRUE(error("").starts_with("1: no command")) << error("");
  EXPECT_TRUE(error("# only a comment\n").starts_with("2: no command"));
  EXPECT_TRUE(error("\nnvmlab up\n").starts_with("2: a comment (# ...), a client (needs: ...) or a command"));
  EXPECT_TRUE(error("$ \n").starts_with("1: no command behind '$'"));
  EXPECT_TRUE(error("needs:  \n$ true\n").starts_with("1: the name of a client"));
  EXPECT_TRUE(error("$ true\n# comment\noutput\n").starts_with("3: output of no command"));
}

TEST(WithExpectations, OnlyThoseAreExchanged) {
  const auto scenario = parse(kFile);
  ASSERT_TRUE(scenario);
  EXPECT_EQ(with_expectations(*scenario, {{{"one"}, 0}, {{"two", ""}, 1}, {{}, 0}}), kFile);
  const std::string changed = with_expectations(*scenario, {{{"1", "2"}, 3}, {{}, 0}, {{"\\# x"}, 0}});
  EXPECT_EQ(changed,
            "# A comment.\nneeds: nvidia-smi-550\n\n$ echo one\n1\n2\n[3]\n\n# Another one.\n"
            "$ cat <<END; false\n> two\n>\n> END\n$ true\n\\# x\n");
}

}  // namespace
}  // namespace nvmlab::scenario
