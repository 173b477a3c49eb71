// SPDX-License-Identifier: Apache-2.0
#include "engine/machine/image.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "tests/unit/machine/sample.hpp"

namespace nvmlab {
namespace {

using test::SampleImage;

ImageError open(SampleImage& sample, std::uint64_t size) {
  Image image;
  return open_image(sample.bytes(), size, &image);
}
ImageError open(SampleImage& sample) { return open(sample, sample.size()); }

TEST(Image, OpensWhatWasSealed) {
  for (const std::uint32_t count : {0u, 1u, 3u, 64u}) {
    SampleImage sample(count);
    Image image;
    ASSERT_EQ(open_image(sample.bytes(), sample.size(), &image), ImageError::none) << count;
    EXPECT_EQ(image.header->gpu_count, count);
    EXPECT_STREQ(image.header->name, "sample");
    EXPECT_STREQ(image.node->system.driver_version.data, "550.163.01");
    if (count > 0) {
      EXPECT_EQ(image.gpus[count - 1].pci.bus.value_or(0), 0x10 + count - 1);
    }
  }
}

TEST(Image, TruncationAtEveryLengthIsRefused) {
  SampleImage sample(2);
  for (std::uint64_t size = 0; size < sample.size(); ++size) {
    ASSERT_EQ(open(sample, size), ImageError::too_short) << size << " of " << sample.size() << " bytes";
  }
}

TEST(Image, WhatHangsBehindItIsRefused) {
  SampleImage sample(1);
  EXPECT_EQ(open(sample, sample.size() + 8), ImageError::damaged);
}

TEST(Image, TheHeaderSaysWhatItIs) {
  {
    SampleImage sample(1);
    sample.header()->magic[0] = 'X';
    EXPECT_EQ(open(sample), ImageError::not_an_image);
  }
  {
    SampleImage sample(1);
    ++sample.header()->format;
    EXPECT_EQ(open(sample), ImageError::other_format);
  }
  {
    SampleImage sample(1);
    ++sample.header()->layout_hash;
    EXPECT_EQ(open(sample), ImageError::other_layout);
  }
}

TEST(Image, ACountThatContradictsTheSizeIsRefused) {
  for (const std::uint32_t count : {0u, 1u, 3u, kMaxGpus, kMaxGpus + 1, 0xFFFF'FFFFu}) {
    SampleImage sample(2);
    sample.header()->gpu_count = count;
    EXPECT_EQ(open(sample), ImageError::damaged) << count;
  }
  SampleImage sample(2);
  sample.header()->gpu_count = 1000;  // consistent with itself, but longer than the file
  sample.header()->total_size = image_size(1000);
  EXPECT_EQ(open(sample), ImageError::too_short);
}

TEST(Image, EverySingleBitOfTheHeaderMatters) {
  SampleImage sample(1);
  for (std::uint64_t bit = 0; bit < sizeof(ImageHeader) * 8; ++bit) {
    std::uint8_t& byte = sample.bytes()[bit / 8];
    const auto mask = static_cast<std::uint8_t>(1u << (bit % 8));
    byte ^= mask;
    ASSERT_NE(open(sample), ImageError::none) << "bit " << bit;
    byte ^= mask;
  }
  EXPECT_EQ(open(sample), ImageError::none);
}

TEST(Image, ADamagedBodyIsRefused) {
  SampleImage sample(1);
  // One bit of every 13th byte: all bits and all places within a word come up, and the test stays quick.
  std::uint32_t bit = 0;
  for (std::uint64_t at = sizeof(ImageHeader); at < sample.size(); at += 13, ++bit) {
    const auto mask = static_cast<std::uint8_t>(1u << (bit % 8));
    sample.bytes()[at] ^= mask;
    ASSERT_EQ(open(sample), ImageError::damaged) << "byte " << at;
    sample.bytes()[at] ^= mask;
  }
  EXPECT_EQ(open(sample), ImageError::none);
}

TEST(Image, SwappedWordsAreRefused) {
  SampleImage sample(1);
  auto* words = reinterpret_cast<std::uint64_t*>(sample.bytes() + sizeof(ImageHeader));
  ASSERT_NE(words[0], words[1]);
  std::swap(words[0], words[1]);
  EXPECT_EQ(open(sample), ImageError::damaged);
}

TEST(Image, ANameIsCutAndKeepsItsNul) {
  SampleImage sample(1, std::string(200, 'n').c_str());
  EXPECT_EQ(open(sample), ImageError::none);
  EXPECT_EQ(std::string(sample.header()->name), std::string(63, 'n'));

  std::memset(sample.header()->name, 'n', sizeof sample.header()->name);
  EXPECT_EQ(open(sample), ImageError::damaged);
}

TEST(Image, EveryErrorHasWords) {
  for (const ImageError error : {ImageError::none, ImageError::too_short, ImageError::not_an_image,
                                 ImageError::other_format, ImageError::other_layout, ImageError::damaged}) {
    EXPECT_GT(std::strlen(describe(error)), 5u);
  }
}

}  // namespace
}  // namespace nvmlab
