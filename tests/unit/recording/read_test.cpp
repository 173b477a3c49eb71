// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "import/recording/recording.hpp"
#include "tests/support/files.hpp"
#include "tests/unit/recording/recordings.hpp"

namespace nvmlab::recording {
namespace {

TEST(Recording, IsReadPackedAndUnpacked) {
  for (const std::string& bytes : {test::recording(), test::gzip(test::recording())}) {
    EXPECT_TRUE(is_recording(bytes));
    const auto read = read_bytes("r", bytes);
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_TRUE(read->complete);
    EXPECT_EQ(read->header.driver, "570.124.06");
    EXPECT_EQ(read->header.cuda, 12080);
    EXPECT_EQ(read->header.gpus, 2u);
    EXPECT_TRUE(read->header.masked);
    ASSERT_EQ(read->calls.size(), 4u);
    EXPECT_TRUE(read->calls[0].lacking());
    EXPECT_TRUE(read->calls[0].subject.of_machine());
    const Call& memory = read->calls[1];
    EXPECT_EQ(memory.line, 3u);
    EXPECT_TRUE(memory.succeeded());
    EXPECT_FALSE(memory.lacking());
    EXPECT_TRUE(memory.subject.of_gpu(1));
    EXPECT_FALSE(memory.subject.of_gpu(0));
    EXPECT_EQ(memory.in["version"], 2);
    EXPECT_EQ(memory.out["memory"]["total"], 85520809984u);
    EXPECT_EQ(read->calls[2].subject.peer, 1u);
    EXPECT_FALSE(read->calls[2].subject.of_gpu(0));
    EXPECT_EQ(read->calls[2].subject.text(), "gpu 0, peer 1");
    EXPECT_TRUE(read->calls[2].out.empty());
    EXPECT_EQ(read->calls[3].number, 186u);
    EXPECT_EQ(integer(read->calls[3].in["fieldId"]), 186);
  }
}

TEST(Recording, MembersOfOneFileAreOneText) {
  const std::string text = test::recording();
  const auto read = read_bytes("r", test::gzip(text.substr(0, 100)) + test::gzip(text.substr(100)));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->calls.size(), 4u);
}

TEST(Recording, UnknownKeysAreIgnored) {
  const auto read = read_bytes("r", test::kHeader + R"({"call":"nvmlX","code":"SUCCESS","later":{"a":[1]}})" +
                                        "\n\n{\"complete\":true,\"calls\":1,\"seconds\":3}\n");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->calls.size(), 1u);
}

TEST(Recording, IsReadFromAFile) {
  const nvmlab::test::TempFolder folder;
  ASSERT_TRUE(nvmlab::test::write_file(folder.path() / "r.gz", test::gzip(test::recording())));
  const auto read = read_file(folder.path() / "r.gz");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->name, (folder.path() / "r.gz").string());
  const auto none = read_file(folder.path() / "none");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().text().find("none: No such file"), std::string::npos) << none.error().text();
}

TEST(Recording, OneThatWasCutOffIsReadOnRequest) {
  const std::string text = test::kHeader + test::kMemory + R"({"calling":"nvmlDeviceGetSerial","gpu":0})" + "\n";
  const auto refused = read_bytes("r", text);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().line, 3u);
  const auto read = read_bytes("r", text, {.partial = true});
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_FALSE(read->complete);
  EXPECT_EQ(read->calls.size(), 1u);
}

TEST(Recording, OfTruncatedBytesTheWholeLinesAreReadOnRequest) {
  const std::string whole = test::gzip(test::recording());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(read_bytes("r", std::string_view(whole).substr(0, size))) << size;
    const auto read = read_bytes("r", std::string_view(whole).substr(0, size), {.partial = true});
    EXPECT_TRUE(!read || read->calls.size() <= 4u);
  }
  const std::string text = test::recording();
  const auto read = read_bytes("r", std::string_view(text).substr(0, text.size() - 40), {.partial = true});
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->calls.size(), 3u);
}

}  // namespace
}  // namespace nvmlab::recording
