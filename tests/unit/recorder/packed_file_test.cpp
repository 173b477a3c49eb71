// SPDX-License-Identifier: Apache-2.0
#include "recorder/packed_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "import/recording/gunzip.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::recorder {
namespace {

class Packed : public testing::Test {
 protected:
  std::string path(const char* name) const { return (folder_.path() / name).string(); }
  static recording::Unpacked unpacked(const std::string& file) {
    auto text = recording::gunzip(test::read_file(file).value_or(""), std::size_t{1} << 20);
    EXPECT_TRUE(text) << text.error();
    return text ? *text : recording::Unpacked{};
  }
  test::TempFolder folder_;
};

TEST_F(Packed, HasItsNameWhenItIsComplete) {
  PackedFile file;
  ASSERT_EQ(file.open(path("a"), false), "");
  file.line("one");
  file.line("two");
  EXPECT_FALSE(std::filesystem::exists(path("a")));
  EXPECT_EQ(file.finish(), "");
  EXPECT_EQ(unpacked(path("a")).text, "one\ntwo\n");
  EXPECT_FALSE(std::filesystem::exists(path("a.partial")));
}

TEST_F(Packed, IsNotWrittenOverAnother) {
  ASSERT_TRUE(test::write_file(path("a"), "kept"));
  {
    PackedFile refused;
    EXPECT_NE(refused.open(path("a"), false).find("is there already"), std::string::npos);
  }
  EXPECT_EQ(test::read_file(path("a")), "kept");
  PackedFile late;
  ASSERT_EQ(late.open(path("b"), false), "");
  ASSERT_TRUE(test::write_file(path("b"), "came in between"));
  EXPECT_NE(late.finish().find("has come to be there"), std::string::npos);
  EXPECT_EQ(test::read_file(path("b")), "came in between");
  PackedFile replacing;
  ASSERT_EQ(replacing.open(path("a"), true), "");
  replacing.line("new");
  EXPECT_EQ(replacing.finish(), "");
  EXPECT_EQ(unpacked(path("a")).text, "new\n");
}

TEST_F(Packed, LeavesNothingWhenItIsGivenUp) {
  {
    PackedFile file;
    ASSERT_EQ(file.open(path("a"), false), "");
    file.line("one");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(Packed, WhatIsAbandonedCanBeRead) {
  {
    PackedFile file;
    ASSERT_EQ(file.open(path("a"), false), "");
    file.line("one");
    file.abandon();
  }
  const auto left = unpacked(path("a.partial"));
  EXPECT_EQ(left.text, "one\n");
  EXPECT_FALSE(left.cut_off);
}

TEST_F(Packed, WhatWasFlushedSurvivesAnything) {
  PackedFile file;
  ASSERT_EQ(file.open(path("a"), false), "");
  file.line("one");
  file.flush();
  const auto left = unpacked(path("a.partial"));
  EXPECT_EQ(left.text, "one\n");
  EXPECT_TRUE(left.cut_off);
}

TEST_F(Packed, SaysWhatIsWrongWithThePlace) {
  PackedFile nowhere;
  EXPECT_NE(nowhere.open(path("no/folder"), false).find("No such file or directory"), std::string::npos);
}

TEST_F(Packed, LinksAreNotFollowed) {
  std::filesystem::create_symlink("/dev/null", path("full.partial"));
  PackedFile link;
  EXPECT_NE(link.open(path("full"), false), "");
}

}  // namespace
}  // namespace nvmlab::recorder
