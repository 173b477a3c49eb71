// SPDX-License-Identifier: Apache-2.0
#include "command/cli/output.hpp"

#include <gtest/gtest.h>

namespace nvmlab::tool {
namespace {

TEST(Table, AlignsColumnsAndLeavesTheLastOneRagged) {
  Table table({"NAME", "GPUS", "PATH"});
  table.add({"a", "8", "/x"});
  table.add({"longer", "16", "/longer/path"});
  EXPECT_EQ(table.text(),
            "NAME    GPUS  PATH\n"
            "a          8  /x\n"
            "longer    16  /longer/path\n");
}

TEST(Table, NumbersStandRightOnlyAmongNumbers) {
  Table table({"F", "VALUE", "G"});
  table.add({"a", "7", "x"});
  table.add({"b", "700000 mW", "y"});
  EXPECT_EQ(table.text(), "F  VALUE      G\na  7          x\nb  700000 mW  y\n");
}

TEST(Table, CountsLettersNotBytes) {
  Table table({"N", "X"});
  table.add({"ä", "1"});
  table.add({"bc", "2"});
  EXPECT_EQ(table.text(), "N   X\nä   1\nbc  2\n");
}

TEST(Table, LeavesNoBlanksAtTheEnd) {
  Table table({"NAME", "X"});
  table.add({"a", ""});
  EXPECT_EQ(table.text(), "NAME  X\na\n");
}

TEST(Wrap, BreaksBetweenWords) {
  EXPECT_EQ(wrap("one two three four", 2, 10), "  one two\n  three\n  four\n");
  EXPECT_EQ(wrap("averyverylongword is kept", 0, 8), "averyverylongword\nis kept\n");
  EXPECT_EQ(wrap("first\n\nsecond", 0), "first\n\nsecond\n");
  EXPECT_EQ(wrap("", 4), "");
}

TEST(CapturedOutput, KeepsWhatIsSaidWhileItLives) {
  CapturedOutput outer;
  print("{} and ", 1);
  {
    CapturedOutput inner;
    print("2");
    EXPECT_EQ(complain("no {}", 3), kFailed);
    print_problem("a:1:2: b");
    EXPECT_TRUE(finish_output());
    EXPECT_EQ(inner.printed, "2");
    EXPECT_EQ(inner.complaints, "no 3\na:1:2: b\n");
  }
  print("so on");
  EXPECT_EQ(outer.printed, "1 and so on");
  EXPECT_EQ(outer.complaints, "");
}

TEST(Colours, AreOffWithoutATerminal) {
  EXPECT_FALSE(colours_on(-1));
  EXPECT_EQ(heading("x").find('\x1b') == std::string::npos, !colours_on(1));
}

}  // namespace
}  // namespace nvmlab::tool
