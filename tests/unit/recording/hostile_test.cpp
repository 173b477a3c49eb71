// SPDX-License-Identifier: Apache-2.0
// What is no recording is refused at its line, with what would be right.
#include <gtest/gtest.h>

#include "import/recording/recording.hpp"
#include "tests/unit/recording/recordings.hpp"

namespace nvmlab::recording {
namespace {

struct Bad {
  const char* what;
  std::string text;
  std::size_t line;
  const char* says;
};

TEST(HostileRecording, IsRefusedWithItsLine) {
  const std::string head = test::kHeader;
  const Bad all[] = {
      {"empty", "", 0, "nothing in it"},
      {"blank lines", "\n\n", 2, "nothing in it"},
      {"another text", "GPU 0: NVIDIA T4\n", 1, "no JSON object"},
      {"another object", "{\"a\":1}\n", 1, "no recording"},
      {"another format", "{\"nvmlab_recording\":2}\n", 1, "format 2"},
      {"no format", "{\"nvmlab_recording\":\"x\"}\n", 1, "no number"},
      {"half a line", head + "{\"call\":\"nvmlX\",", 2, "no JSON object"},
      {"a list", head + "[1]\n", 2, "no JSON object"},
      {"no call", head + "{\"code\":\"SUCCESS\"}\n", 2, "without \"call\""},
      {"no code", head + "{\"call\":\"nvmlX\"}\n", 2, "nvmlX without \"code\""},
      {"negative GPU", head + "{\"call\":\"nvmlX\",\"code\":\"SUCCESS\",\"gpu\":-1}\n", 2, "\"gpu\" is no number"},
      {"huge GPU", head + "{\"call\":\"nvmlX\",\"code\":\"SUCCESS\",\"gpu\":4294967296}\n", 2, "\"gpu\" is no number"},
      {"text for out", head + "{\"call\":\"nvmlX\",\"code\":\"SUCCESS\",\"out\":\"x\"}\n", 2, "\"out\" of nvmlX"},
      {"too deep", head + std::string(100000, '[') + "\n", 2, "levels deep"},
      {"deep behind texts", head + "{\"a\":\"\\\"}\",\"b\":" + std::string(40, '{') + "\n", 2, "levels deep"},
      {"no UTF-8", head + "{\"call\":\"\xff\xfe\",\"code\":\"SUCCESS\"}\n", 2, "no JSON object"},
      {"missing lines", head + test::kPair + "{\"complete\":true,\"calls\":2}\n", 3, "2 calls were written and 1"},
      {"more after the end", head + "{\"complete\":true,\"calls\":0}\n" + test::kPair, 3, "after the one"},
      {"no end", head + test::kPair, 2, "without the line"},
      {"NUL", head + std::string(3, '\0') + "\n", 2, "no JSON object"},
  };
  for (const Bad& bad : all) {
    for (const bool packed : {false, true}) {
      const auto read = read_bytes("r", packed ? test::gzip(bad.text) : bad.text);
      ASSERT_FALSE(read) << bad.what;
      EXPECT_EQ(read.error().line, bad.line) << bad.what;
      EXPECT_NE(read.error().message.find(bad.says), std::string::npos) << bad.what << ": " << read.error().message;
    }
  }
}

TEST(HostileRecording, WhatUnpacksWithoutEndIsRefused) {
  const std::string bomb = test::gzip(std::string(std::size_t{8} << 20, ' '));
  ASSERT_LT(bomb.size(), std::size_t{20000});
  const auto read = read_bytes("r", bomb, {.max_bytes = std::size_t{1} << 20});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().text(), "r: unpacks to more than 1 MiB, which no recording is");
  const auto plain = read_bytes("r", std::string(std::size_t{2} << 20, ' '), {.max_bytes = std::size_t{1} << 20});
  ASSERT_FALSE(plain);
  EXPECT_NE(plain.error().text().find("more than 1 MiB"), std::string::npos);
}

TEST(HostileRecording, DamagedBytesAreRefused) {
  std::string packed = test::gzip(test::recording());
  for (std::size_t at = 0; at < packed.size(); ++at) {
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x5a);
    const auto read = read_bytes("r", damaged);
    // The name, time and system in gzip's head do not matter; everything else does.
    if (at >= 10) {
      EXPECT_FALSE(read) << at;
    }
    if (!read) {
      EXPECT_FALSE(read.error().message.empty());
    }
  }
  EXPECT_FALSE(read_bytes("r", packed + "something else"));
}

TEST(HostileRecording, OtherFilesAreNoRecordings) {
  for (const std::string& bytes : {std::string(), std::string("<?xml version=\"1.0\" ?>"), std::string("{\"a\":1}"),
                                   test::gzip("<?xml version=\"1.0\" ?>"), std::string("\x1f\x8b")})
    EXPECT_FALSE(is_recording(bytes));
  std::string long_header = "{\"nvmlab_recording\":1,\"library\":\"";
  for (unsigned i = 0; i < 5000; ++i)
    long_header += static_cast<char>('a' + (i * 7919u) % 26);
  EXPECT_TRUE(is_recording(test::gzip(long_header + "\"}\n")));
}

}  // namespace
}  // namespace nvmlab::recording
