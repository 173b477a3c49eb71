// SPDX-License-Identifier: Apache-2.0
#include "codegen/io/files.hpp"

#include <gtest/gtest.h>

#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

namespace fs = std::filesystem;

TEST(Files, AreReadAsTheyWereWritten) {
  const test::TemporaryFolder folder;
  const std::string bytes("a\0b\r\n\xff", 6);
  ASSERT_TRUE(write_file(folder.path() / "new" / "deep" / "file", bytes));
  EXPECT_EQ(read_file(folder.path() / "new" / "deep" / "file").value(), bytes);
  ASSERT_TRUE(write_file(folder.path() / "new" / "deep" / "file", "short"));
  EXPECT_EQ(folder.read("new/deep/file"), "short");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path() / "new" / "deep"), fs::directory_iterator{}), 1)
      << "no temporary is left";
}

TEST(Files, ErrorsNameTheFile) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(read_file(folder.path()).error().message, "is a folder; expected a file");
  EXPECT_NE(read_file(folder.path() / "absent").error().message.find("No such file"), std::string::npos);
  folder.write("plain", "");
  const auto below_file = write_file(folder.path() / "plain" / "file", "x");
  ASSERT_FALSE(below_file);
  EXPECT_NE(below_file.error().text().find("plain"), std::string::npos);
  ASSERT_TRUE(write_file(folder.path() / "folder" / "file", "x"));
  EXPECT_FALSE(write_file(folder.path() / "folder", "x")) << "a folder is not replaced by a file";
}

TEST(Files, RootIsFoundFromBelow) {
  const test::TemporaryFolder folder;
  folder.write("model/facts/nvml.json", "");
  folder.write("a/b/c", "");
  EXPECT_EQ(fs::canonical(find_root(folder.path() / "a" / "b").value()), fs::canonical(folder.path()));
  const test::TemporaryFolder elsewhere;
  const auto none = find_root(elsewhere.path());
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("--root"), std::string::npos);
}

TEST(Files, PositionsCountFromOne) {
  EXPECT_EQ(position_of("ab\ncd", 0), (std::pair<std::size_t, std::size_t>{1, 1}));
  EXPECT_EQ(position_of("ab\ncd", 4), (std::pair<std::size_t, std::size_t>{2, 2}));
  EXPECT_EQ(position_of("ab\n", 99), (std::pair<std::size_t, std::size_t>{2, 1}));
}

}  // namespace
}  // namespace nvmlab::codegen
