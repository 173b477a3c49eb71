// SPDX-License-Identifier: Apache-2.0
// The two-way comparison that `check` rests on.
#include "codegen/io/output.hpp"

#include <gtest/gtest.h>

#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

using Files = std::map<std::string, std::string>;
using Strings = std::vector<std::string>;

Strings described(const std::vector<Difference>& differences) {
  Strings list;
  for (const Difference& difference : differences)
    list.push_back(std::string(name_of(difference.kind)) + " " + difference.path);
  return list;
}

TEST(Output, BelongsIntoGeneratedFolders) {
  for (const char* path : {"binding/a.hpp", "a.hpp", "../generated/a.hpp", "/generated/a.hpp", "x/generated/deep/a.hpp",
                           "x/./generated/a.hpp", "x/../generated/a"}) {
    Output output;
    output.add(path, "");
    EXPECT_FALSE(output.finish()) << path;
  }
  Output output;
  output.add("folder/generated/a.hpp", "");
  EXPECT_TRUE(output.finish());
}

TEST(Output, EachFileIsMadeOnce) {
  Output output;
  output.add("folder/generated/a.hpp", "1");
  output.add("folder/generated/a.hpp", "1");
  EXPECT_NE(output.finish().error().message.find("made twice"), std::string::npos);
}

TEST(Output, FoldersAreLeftAloneByTheFormatter) {
  Output output;
  output.add("folder/generated/a.hpp", "1");
  output.add("folder/generated/b.hpp", "2");
  const Files files = output.finish().value();
  ASSERT_EQ(files.size(), 3U);
  EXPECT_NE(files.at("folder/generated/.clang-format").find("DisableFormat: true"), std::string::npos);
}

TEST(Output, WriteThenCompareFindsNothing) {
  const test::TemporaryFolder root;
  const Files files{{"a/generated/x", "1\n"}, {"b/c/generated/y", "2\n"}};
  const auto written = write_all(files, root.path());
  ASSERT_TRUE(written);
  EXPECT_EQ(written->changed, (Strings{"a/generated/x", "b/c/generated/y"}));
  EXPECT_TRUE(compare(files, root.path())->empty());
  EXPECT_EQ(write_all(files, root.path())->unchanged, 2U);
}

TEST(Output, CompareFindsEveryKindBothWays) {
  const test::TemporaryFolder root;
  root.write("a/generated/same", "1\n");
  root.write("a/generated/edited", "one\ntwo\nthree\n");
  root.write("a/generated/extra", "");
  root.write("a/generated/deep/extra", "");
  root.write("b/generated/.hidden", "");
  const Files files{
      {"a/generated/same", "1\n"}, {"a/generated/edited", "one\n2\nthree\n"}, {"c/generated/missing", ""}};
  const auto differences = compare(files, root.path());
  ASSERT_TRUE(differences);
  EXPECT_EQ(described(*differences),
            (Strings{"extra a/generated/deep/extra", "different a/generated/edited", "extra a/generated/extra",
                     "extra b/generated/.hidden", "missing c/generated/missing"}));
}

TEST(Output, ADifferenceIsShownShortly) {
  const test::TemporaryFolder root;
  root.write("a/generated/x", "one\ntwo\nthree\n");
  const auto differences = compare({{"a/generated/x", "one\n2\nthree\n"}}, root.path());
  ASSERT_EQ(differences->size(), 1U);
  EXPECT_EQ(differences->front().detail, "line 2:\n    - two\n    + 2\n");
  root.write("a/generated/x", "one\n2\nthree");
  EXPECT_NE(compare({{"a/generated/x", "one\n2\nthree\n"}}, root.path())->front().detail.find("end of the file"),
            std::string::npos);
  root.write("a/generated/x", "a\nb\nc\nd\ne\n");
  EXPECT_NE(compare({{"a/generated/x", ""}}, root.path())->front().detail.find("2 more lines"), std::string::npos);
}

TEST(Output, LooksAtNothingButGeneratedFoldersOfTheSource) {
  const test::TemporaryFolder root;
  for (const char* path :
       {"a/source.cpp", "build/dev/generated/x", ".git/generated/x", "a/.cache/generated/x", "generatedish/x"})
    root.write(path, "");
  EXPECT_TRUE(compare({}, root.path())->empty());
  EXPECT_TRUE(write_all({}, root.path())->deleted.empty());
}

TEST(Output, WriteDeletesWhatNobodyMakes) {
  const test::TemporaryFolder root;
  root.write("a/generated/stale", "");
  root.write("a/kept", "mine");
  const auto written = write_all({{"a/generated/new", "1"}}, root.path());
  ASSERT_TRUE(written);
  EXPECT_EQ(written->deleted, (Strings{"a/generated/stale"}));
  EXPECT_EQ(root.read("a/generated/stale"), "(absent)");
  EXPECT_EQ(root.read("a/kept"), "mine");
}

TEST(Output, AMissingRootIsAnError) { EXPECT_FALSE(compare({}, "/nowhere/at/all")); }

}  // namespace
}  // namespace nvmlab::codegen
