// SPDX-License-Identifier: Apache-2.0
#include "tests/scenarios/matching.hpp"

#include <gtest/gtest.h>

namespace nvmlab::scenario {
namespace {

TEST(LineMatches, ThreeDotsStandForAnyCharacters) {
  EXPECT_TRUE(line_matches("a b", "a b"));
  EXPECT_TRUE(line_matches("a...d", "a b c d"));
  EXPECT_TRUE(line_matches("a...d", "ad"));
  EXPECT_TRUE(line_matches("...b...", "abc"));
  EXPECT_TRUE(line_matches("up since ... in ...store", "up since 10:30 in /x/ci.store"));
  EXPECT_FALSE(line_matches("a b", "a c"));
  EXPECT_FALSE(line_matches("a...d", "a b c"));
  EXPECT_FALSE(line_matches("a...a", "a")) << "nothing counts twice";
  EXPECT_FALSE(line_matches("...b", "ba"));
  EXPECT_FALSE(line_matches("x...b...c", "xcb"));
}

TEST(LineMatches, BlanksAtTheEndDoNotCount) {
  EXPECT_TRUE(line_matches("a", "a  \r"));
  EXPECT_TRUE(line_matches("", "   "));
  EXPECT_FALSE(line_matches("a", " a"));
}

TEST(LineMatches, ABackslashMeansTheLineAsItIs) {
  EXPECT_TRUE(line_matches("\\NVIDIA A100...", "NVIDIA A100..."));
  EXPECT_FALSE(line_matches("\\NVIDIA A100...", "NVIDIA A100-SXM4"));
  EXPECT_TRUE(line_matches("\\# a heading", "# a heading"));
  EXPECT_TRUE(line_matches("\\\\x", "\\x"));
}

TEST(Matches, ThreeDotsAloneStandForAnyLines) {
  EXPECT_TRUE(matches({}, {}));
  EXPECT_TRUE(matches({"..."}, {}));
  EXPECT_TRUE(matches({"a", "...", "d"}, {"a", "b", "c", "d"}));
  EXPECT_TRUE(matches({"a", "...", "d"}, {"a", "d", "d"}));
  EXPECT_TRUE(matches({"...", "c", "..."}, {"a", "c"}));
  EXPECT_FALSE(matches({}, {"a"}));
  EXPECT_FALSE(matches({"a"}, {}));
  EXPECT_FALSE(matches({"a", "...", "d"}, {"a", "b"}));
  EXPECT_FALSE(matches({"a", "..."}, {"b", "a"}));
  EXPECT_FALSE(matches({"...", "b"}, {"b", "a"}));
  EXPECT_FALSE(matches({"a", "b"}, {"a", "b", "c"}));
}

TEST(Approved, WhatHoldsStaysAsItIs) {
  const Lines expected = {"NAME  SINCE", "ci    20...", "..."};
  EXPECT_EQ(approved(expected, {"NAME  SINCE", "ci    2026-01-01", "x"}), expected);
}

TEST(Approved, OneLineIsExchangedAndElisionsElsewhereStay) {
  EXPECT_EQ(approved({"...", "limit 700", "since ...", "..."}, {"a", "limit 700", "since 10:30", "z"}),
            (Lines{"...", "limit 700", "since ...", "..."}));
  EXPECT_EQ(
      approved({"head", "...", "limit 700", "since ...", "end"}, {"head", "x", "limit 300", "since 10:30", "end"}),
      (Lines{"head", "x", "limit 300", "since ...", "end"}))
      << "beside a change nothing stays hidden";
  EXPECT_EQ(approved({"head", "...", "name a", "limit 700"}, {"head", "x", "name a", "limit 300"}),
            (Lines{"head", "...", "name a", "limit 300"}));
}

TEST(Approved, WhatIsWrittenHolds) {
  const Lines printed = {"# heading", "$ x", "> y", "[3]", "\\", "NVIDIA A100...", "", "needs: more", "..."};
  const Lines written = approved({"nothing of it"}, printed);
  EXPECT_TRUE(matches(written, printed));
  Lines other = printed;
  other[5] = "NVIDIA A100-SXM4";
  EXPECT_FALSE(matches(written, other)) << "three dots that a program printed are no elision";
}

TEST(Difference, ShowsWhatIsMissingAndWhatIsNew) {
  EXPECT_EQ(difference({"a", "b ...", "c"}, {"a", "b 1", "x", "y"}),
            "      a\n      b ...\n    - c\n    + x\n    + y\n");
  EXPECT_EQ(difference({"a", "..."}, {"b"}), "    - a\n    - ...\n    + b\n");
}

}  // namespace
}  // namespace nvmlab::scenario
