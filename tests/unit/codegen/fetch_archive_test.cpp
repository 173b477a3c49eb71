// SPDX-License-Identifier: Apache-2.0
#include "codegen/fetch/archive.hpp"

#include <gtest/gtest.h>

#include "tests/unit/codegen/support/archives.hpp"

namespace nvmlab::codegen {
namespace {

using test::archive_of;
using test::Entries;
using test::Kind;

const std::string header = "int nvmlInit(void);\n";

Entries with_header() { return {{"a/LICENSE", "words"}, {"a/include/nvml.h", header}, {"a/z", "more"}}; }

TEST(Archive, GivesTheHeaderOfEveryKind) {
  for (const Kind kind : {Kind::zip, Kind::tar, Kind::tar_xz, Kind::tar_bz2, Kind::tar_gz, Kind::tar_zst}) {
    const std::string bytes = archive_of(kind, with_header());
    EXPECT_TRUE(looks_like_archive(bytes)) << static_cast<int>(kind);
    const auto text = header_in_archive(bytes, "a");
    ASSERT_TRUE(text) << text.error().text();
    EXPECT_EQ(*text, header);
  }
}

TEST(Archive, GivesTheHeaderOfANestedOne) {
  const std::string conda =
      archive_of(Kind::zip, {{"metadata.json", "{}"},
                             {"info-x.tar.zst", archive_of(Kind::tar_zst, {{"info/index.json", "{}"}})},
                             {"pkg-x.tar.zst", archive_of(Kind::tar_zst, with_header())}});
  EXPECT_EQ(header_in_archive(conda, "x.conda").value(), header);
  const std::string deb = archive_of(Kind::ar, {{"debian-binary", "2.0\n"},
                                                {"control.tar.xz", archive_of(Kind::tar_xz, {{"control", ""}})},
                                                {"data.tar.xz", archive_of(Kind::tar_xz, with_header())}});
  EXPECT_TRUE(looks_like_archive(deb));
  EXPECT_EQ(header_in_archive(deb, "x.deb").value(), header);
}

TEST(Archive, WithoutHeaderIsRefused) {
  const auto text =
      header_in_archive(archive_of(Kind::zip, {{"include/nvml.hpp", header}, {"nvml.h.txt", header}}), "a.zip");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().text(), "a.zip: holds no nvml.h; expected an archive of NVIDIA's with one in it");
}

TEST(Archive, NestedOnlyOnce) {
  const std::string inner = archive_of(Kind::tar_xz, with_header());
  const std::string deeper =
      archive_of(Kind::tar_xz, {{"pkg-a.tar.xz", archive_of(Kind::tar_xz, {{"pkg-b.tar.xz", inner}})}});
  EXPECT_FALSE(header_in_archive(deeper, "a"));
}

TEST(Archive, WhatIsNoneIsRefused) {
  for (const std::string& bytes : {std::string(), std::string("int a;"), std::string("PK\3\4"), std::string(1000, '\0'),
                                   std::string("<html></html>")}) {
    EXPECT_FALSE(header_in_archive(bytes, "a"));
  }
  EXPECT_FALSE(looks_like_archive("int a;"));
  EXPECT_FALSE(looks_like_archive(""));
}

TEST(Archive, EveryTruncationIsRefusedOrComplete) {
  for (const Kind kind : {Kind::zip, Kind::tar_xz, Kind::tar_bz2, Kind::tar_zst}) {
    // A header too large for one block of any compressor.
    std::string large;
    for (int i = 0; i < 40000; ++i)
      large += std::to_string(i * 7919);
    const std::string bytes = archive_of(kind, {{"nvml.h", large}});
    for (std::size_t length = 0; length < bytes.size(); length += bytes.size() / 40 + 1) {
      const auto text = header_in_archive(std::string_view(bytes).substr(0, length), "a");
      EXPECT_TRUE(!text || *text == large) << static_cast<int>(kind) << " at " << length;
    }
  }
}

TEST(Archive, DamageIsNeverFatal) {
  std::uint64_t state = 5;
  const auto next = [&state] { return state = state * 6364136223846793005U + 1442695040888963407U; };
  for (const Kind kind : {Kind::zip, Kind::tar_xz, Kind::tar_bz2, Kind::ar}) {
    const std::string bytes = archive_of(kind, {{"nvml.h", header}});
    for (int round = 0; round < 200; ++round) {
      std::string damaged = bytes;
      damaged[(next() >> 33U) % damaged.size()] = static_cast<char>(next() >> 56U);
      const auto text = header_in_archive(damaged, "a");
      EXPECT_TRUE(text || !text.error().message.empty());
    }
  }
}

TEST(Archive, AHugeHeaderIsRefused) {
  const std::string bytes = archive_of(Kind::tar_xz, {{"nvml.h", std::string(std::size_t{17} << 20U, ' ')}});
  EXPECT_LT(bytes.size(), 100000U);
  EXPECT_NE(header_in_archive(bytes, "bomb").error().message.find("more than 16 MiB"), std::string::npos);
}

}  // namespace
}  // namespace nvmlab::codegen
