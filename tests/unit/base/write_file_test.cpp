// SPDX-License-Identifier: Apache-2.0
#include "base/write_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <iterator>

#include "tests/support/files.hpp"

namespace nvmlab {
namespace {

TEST(WriteFile, ReplacesWholeFilesAndLeavesNoDraft) {
  const test::TempFolder folder;
  const std::string path = (folder.path() / "file").string();
  ASSERT_TRUE(write_file(path, {std::byte{'a'}, std::byte{'b'}}, 0600));
  EXPECT_EQ(test::read_file(path), "ab");
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  ASSERT_TRUE(write_file(path, {std::byte{'c'}}, 0600));
  EXPECT_EQ(test::read_file(path), "c");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  const auto nowhere = write_file((folder.path() / "no/file").string(), {}, 0600);
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().find("No such file or directory"), std::string::npos);
}

}  // namespace
}  // namespace nvmlab
