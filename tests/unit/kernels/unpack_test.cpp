// SPDX-License-Identifier: Apache-2.0
// What lz4 and zstd have packed comes out as it went in; what is damaged is refused, and never more comes out than may.
#include <gtest/gtest.h>

#include <random>

#include "kernels/images/unpack.hpp"
#include "tests/unit/kernels/fatbins.hpp"
#include "tests/unit/kernels/harness.hpp"

namespace nvmlab::kernels_test {
namespace {

constexpr std::uint64_t kMost = 1 << 24;

std::string noise(std::size_t size, unsigned letters) {
  std::mt19937 random(7);
  std::string made(size, '\0');
  for (char& each : made)
    each = static_cast<char>(random() % letters);
  return made;
}

// Texts, what repeats, what cannot be packed, few letters and all of them; several blocks of zstd.
std::vector<std::string> samples() {
  std::string many;
  for (int i = 0; i < 3000; ++i)
    many += "add.s32 %r" + std::to_string(i) + ", %r" + std::to_string(i * 7 % 900) + ", " + std::to_string(i) + ";\n";
  return {kernel_file("reduce.ptx"),
          kernel_file("warp.ptx"),
          many,
          many + noise(5000, 256) + many,
          std::string(300'000, 'x'),
          noise(20'000, 3),
          noise(200'000, 4)};
}

TEST(Unpack, WhatZstdHasPacked) {
  for (const std::string& each : samples()) {
    for (const char* level : {"-1", "-5", "-19", "--fast=9"}) {
      const std::string packed = packed_by_zstd(each, level);
      std::string out;
      ASSERT_FALSE(packed.empty()) << "is zstd installed?";
      ASSERT_TRUE(kernels::unpack_zstd(packed, kMost, &out)) << each.size() << " bytes, level " << level;
      ASSERT_EQ(out, each) << each.size() << " bytes, level " << level;
      EXPECT_FALSE(kernels::unpack_zstd(packed, each.size() - 1, &out)) << "more came out than may";
    }
  }
}

TEST(Unpack, WhatLz4HasPacked) {
  for (const std::string& each : samples()) {
    for (const char* level : {"-1", "-9", "-12"}) {
      const std::string packed = packed_by_lz4(each, level);
      std::string out;
      ASSERT_FALSE(packed.empty()) << "is lz4 installed?";
      ASSERT_TRUE(kernels::unpack_lz4(packed, kMost, &out)) << each.size() << " bytes, level " << level;
      ASSERT_EQ(out, each) << each.size() << " bytes, level " << level;
      EXPECT_FALSE(kernels::unpack_lz4(packed, each.size() - 1, &out)) << "more came out than may";
    }
  }
}

TEST(Unpack, WhatIsCutIsRefused) {
  const std::string text = kernel_file("reduce.ptx");
  const std::string zstd = packed_by_zstd(text);
  std::string out;
  for (std::size_t size = 0; size < zstd.size(); ++size)
    EXPECT_FALSE(kernels::unpack_zstd(std::string_view(zstd).substr(0, size), kMost, &out)) << size;
  const std::string lz4 = packed_by_lz4(text);
  for (std::size_t size = 0; size < lz4.size(); ++size) {
    if (kernels::unpack_lz4(std::string_view(lz4).substr(0, size), kMost, &out)) {
      EXPECT_LT(out.size(), text.size());
    }
  }
}

// Whatever it says, it ends, within its bounds (under the sanitizers, which watch).
TEST(Unpack, WhatIsDamagedHarmsNothing) {
  const std::string text = kernel_file("warp.ptx");
  std::mt19937 random(11);
  for (const std::string& packed : {packed_by_zstd(text, "-19"), packed_by_zstd(noise(3000, 5)), packed_by_lz4(text)}) {
    for (int i = 0; i < 3000; ++i) {
      std::string damaged = packed;
      for (unsigned changes = 1 + random() % 4; changes > 0; --changes)
        damaged[random() % damaged.size()] = static_cast<char>(random());
      const std::string exact(damaged.data(), damaged.size());
      std::string out;
      kernels::unpack_zstd(exact, 1 << 16, &out);
      EXPECT_LE(out.size(), 1U << 16);
      kernels::unpack_lz4(exact, 1 << 16, &out);
      EXPECT_LE(out.size(), 1U << 16);
    }
  }
}

}  // namespace
}  // namespace nvmlab::kernels_test
