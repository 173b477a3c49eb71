// SPDX-License-Identifier: Apache-2.0
// Wide lines of generated code, broken; and rows of tables as designated initialisers.
#include "codegen/columns.hpp"

#include <gtest/gtest.h>

#include "codegen/emit/designated.hpp"

namespace nvmlab::codegen {
namespace {

const std::string kWide(60, 'w');

bool is_narrow(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > kColumns) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

// As the compiler reads it: without spaces, line ends and the quotes between two halves of a literal.
std::string squeezed(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' && c != '\n') result += c;
    if (result.ends_with("\"\"")) result.resize(result.size() - 2);
  }
  return result;
}

TEST(Columns, NarrowLinesStayAsTheyAre) {
  const std::string source = "int a;\n\n  int b;  // c\nlast";
  EXPECT_EQ(within_columns(source), source);
  EXPECT_EQ(within_columns(""), "");
}

TEST(Columns, ArgumentsGoOnFourFurtherIn) {
  EXPECT_EQ(within_columns("  return f(" + kWide + ", " + kWide + ");\n"),
            "  return f(" + kWide + ",\n      " + kWide + ");\n");
}

TEST(Columns, WhatBelongsTogetherStaysTogether) {
  EXPECT_EQ(within_columns("  f(aaaa, bbbb, " + kWide + ", g(" + kWide + ", c));\n"),
            "  f(aaaa, bbbb, " + kWide + ",\n      g(" + kWide + ", c));\n");
}

TEST(Columns, RowsGoOnBelowTheirFirstMember) {
  EXPECT_EQ(within_columns("    {.name = \"" + kWide + "\", .next = \"" + kWide + "\"},\n"),
            "    {.name = \"" + kWide + "\",\n     .next = \"" + kWide + "\"},\n");
}

TEST(Columns, ABodyGetsLinesOfItsOwn) {
  EXPECT_EQ(within_columns("void f() { " + kWide + "(); " + kWide + "(); }\n"),
            "void f() {\n  " + kWide + "();\n  " + kWide + "();\n}\n");
}

TEST(Columns, ACommentMovesAboveItsCode) {
  EXPECT_EQ(within_columns("  " + kWide + " = 1,  ///< " + kWide + "\n"),
            "  /// " + kWide + "\n  " + kWide + " = 1,\n");
  EXPECT_EQ(within_columns("  /// " + kWide + " " + kWide + "\n"), "  /// " + kWide + "\n  /// " + kWide + "\n");
}

TEST(Columns, ALiteralIsBrokenBetweenWords) {
  const std::string made = within_columns("  f(\"" + kWide + " " + kWide + "\");\n");
  EXPECT_EQ(made, "  f(\n      \"" + kWide + " \"\n      \"" + kWide + "\");\n");
}

TEST(Columns, NothingIsLost) {
  const std::string source =
      "  return finish<f>(call<f>(device, [&](const Device& gpu) { return newest<A, B>(info, [&](A* newest) { return "
      "hooks::name(gpu, newest, '\"', \"a, b; (c\"); }); }, word(info, version::v1, version::v2, version::v3)));\n";
  const std::string made = within_columns(source);
  EXPECT_TRUE(is_narrow(made)) << made;
  EXPECT_EQ(squeezed(made), squeezed(source));
}

TEST(Columns, WhatCannotBeBrokenStays) {
  const std::string include = "#include \"" + kWide + kWide + "\"\n";
  EXPECT_EQ(within_columns(include), include);
  const std::string word = kWide + kWide + kWide + ";\n";
  EXPECT_EQ(within_columns(word), word);
}

TEST(Columns, ParagraphsAreWrappedAndTablesAreNot) {
  const std::string row = "| " + kWide + " | " + kWide + " |\n";
  EXPECT_EQ(prose_within_columns(row + kWide + " " + kWide + "\n"), row + kWide + "\n" + kWide + "\n");
}

TEST(Designated, LeavesOutWhatIsUsual) {
  EXPECT_EQ(Designated().named("fan").with("size", 4).with("offset", 0, "0").row(), "{.name = \"fan\", .size = 4}");
  EXPECT_EQ(Designated().row(), "{}");
}

}  // namespace
}  // namespace nvmlab::codegen
