// SPDX-License-Identifier: Apache-2.0
#include "engine/store/image.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/machine/sample.hpp"

namespace nvmlab {
namespace {

using test::SampleImage;

ImageError open(SampleImage& sample, std::uint64_t size) {
  Image image;
  return open_image(sample.bytes(), size, &image);
}
ImageError open(SampleImage& sample) { return open(sample, sample.size()); }

bool same(const Gpu& a, const Gpu& b) { return std::memcmp(&a, &b, sizeof(Gpu)) == 0; }

TEST(Image, GivesBackWhatWasWritten) {
  for (const std::uint32_t count : {0u, 1u, 3u, 64u}) {
    SampleImage sample(count);
    Image image;
    ASSERT_EQ(open_image(sample.bytes(), sample.size(), &image), ImageError::none) << count;
    EXPECT_EQ(image.header->gpu_count, count);
    EXPECT_STREQ(image.header->name, "sample");
    Node node{};
    read_node(image, &node);
    EXPECT_EQ(std::memcmp(&node, sample.node(), sizeof node), 0);
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto gpu = std::make_unique<Gpu>();
      read_gpu(image, i, gpu.get());
      EXPECT_TRUE(same(*gpu, sample.gpus()[i])) << "GPU " << i << " of " << count;
    }
  }
}

// Whatever the words are: all zero, all taken, in stripes, at either end, and where the first GPU has more than
// another.
TEST(Image, GivesBackAnyState) {
  constexpr std::uint32_t count = 8;
  constexpr std::uint64_t words = sizeof(Gpu) / 8;
  SampleImage sample(count);
  std::mt19937_64 random(1);
  const std::uint64_t stripes[count] = {3, 1, 2, 0, 5, words - 1, 64, 7};
  for (std::uint32_t i = 0; i < count; ++i) {
    std::vector<std::uint64_t> state(words);
    for (std::uint64_t at = 0; stripes[i] != 0 && at < words; ++at)
      if (at % stripes[i] == 0) state[at] = random() | 1;
    std::memcpy(static_cast<void*>(&sample.gpus()[i]), state.data(), sizeof(Gpu));
  }
  sample.write("any");
  EXPECT_LE(sample.size(), kMaxImageSize);
  Image image;
  ASSERT_EQ(open_image(sample.bytes(), sample.size(), &image), ImageError::none);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto gpu = std::make_unique<Gpu>();
    read_gpu(image, i, gpu.get());
    EXPECT_TRUE(same(*gpu, sample.gpus()[i])) << i;
  }
}

TEST(Image, GpusThatAreAlikeCostLittle) {
  EXPECT_LT(SampleImage(64).size(), SampleImage(1).size() + 64UL * 200);
  EXPECT_LT(SampleImage(1).size(), 2048u);
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
  sample.header()->total_size *= 2;
  EXPECT_EQ(open(sample), ImageError::too_short);
}

// Files that somebody made on purpose, checksum and all: places and runs that lead out of the file or out of the state.
// Nobody makes room for what no state can fill.
TEST(Image, ASizeThatNoStateCanFillIsRefused) {
  SampleImage sample(2);
  ImageHeader header = *sample.header();
  for (const std::uint64_t size : {std::uint64_t{1} << 24, std::uint64_t{1} << 40}) {
    header.total_size = size;
    EXPECT_EQ(check_image_header(header, size), ImageError::damaged) << size;
  }
  EXPECT_EQ(check_image_header(*sample.header(), sample.size()), ImageError::none);
}

TEST(Image, ForgedRecordsNeverLeadOutside) {
  std::mt19937_64 random(2);
  int refused = 0;
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    SampleImage sample(3);
    const std::uint64_t words = sample.size() / 8;
    const std::uint64_t head = sizeof(ImageHeader) / 8;
    auto* at = reinterpret_cast<std::uint32_t*>(sample.bytes());
    for (std::uint64_t damage = random() % 3 + 1; damage > 0; --damage) {
      // Half of the rounds aim at the places.
      const std::uint64_t word = head + random() % (random() % 2 == 0 ? 3 : words - head);
      at[word * 2 + random() % 2] = static_cast<std::uint32_t>(random() >> (random() % 64));
    }
    seal_image(sample.bytes());
    Image image;
    if (open_image(sample.bytes(), sample.size(), &image) != ImageError::none) {
      ++refused;
      continue;
    }
    ++accepted;
    const auto state = std::make_unique<std::array<Gpu, 3>>();  // GPUs with one on either side, to see what spills
    for (std::uint32_t i = 0; i < 3; ++i)
      read_gpu(image, i, &(*state)[1]);
    const Gpu zero{};
    ASSERT_TRUE(same((*state)[0], zero) && same((*state)[2], zero)) << "round " << round;
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(accepted, 1000);
}

// A look at one field ends where the runs have passed it.
TEST(Image, RunsOutOfOrderAreRefused) {
  SampleImage sample(1);
  auto* words = reinterpret_cast<std::uint64_t*>(sample.bytes());
  const auto* places = reinterpret_cast<const std::uint32_t*>(sample.header() + 1);
  const std::uint32_t second = places[1] + 1 + static_cast<std::uint32_t>(words[places[1]] >> 32);
  ASSERT_LT(second, places[2]) << "the sample has one run";
  words[second] = (words[second] >> 32 << 32) | 0;  // from the first word on, where the first run is
  seal_image(sample.bytes());
  EXPECT_EQ(open(sample), ImageError::damaged);
}

// What is there is found wherever one looks.
TEST(Image, PartsAreThoseOfTheWhole) {
  SampleImage sample(2);
  const Image image = sample.view();
  const auto whole = std::make_unique<Gpu>();
  read_gpu(image, 1, whole.get());
  const auto* bytes = reinterpret_cast<const unsigned char*>(whole.get());
  constexpr std::uint64_t part = 64;
  for (std::uint64_t at = 0; at + part <= sizeof(Gpu); at += part) {
    alignas(8) unsigned char read[part] = {};
    read_gpu_part(image, 1, at, part, read);
    ASSERT_EQ(std::memcmp(read, bytes + at, part), 0) << at;
  }
}

TEST(Image, IsTheSameOfGpusThatAreMadeOneAfterTheOther) {
  constexpr std::uint32_t kGpus = 3;
  SampleImage sample(kGpus);
  struct Maker {
    const Gpu* all;
    std::unique_ptr<Gpu> made = std::make_unique<Gpu>();
  } maker{sample.gpus()};
  const GpuSource source{[](void* self, std::uint32_t index) -> const Gpu* {
                           auto& from = *static_cast<Maker*>(self);
                           *from.made = from.all[index];
                           return from.made.get();
                         },
                         &maker};
  std::vector<std::uint64_t> words(sample.size() / 8 + 1);
  ASSERT_EQ(write_image(*sample.node(), source, kGpus, "sample", words.data()), sample.size());
  EXPECT_EQ(std::memcmp(words.data(), sample.bytes(), sample.size()), 0);
}

// What one GPU has and the first has not, the other way round, and the same word with another value, at the ends of the
// state and of the blocks that are compared at once.
TEST(Image, TellsGpusApartFromTheFirstWordToTheLast) {
  constexpr std::uint64_t kWords = sizeof(Gpu) / 8;
  const auto gpus = std::make_unique<Gpu[]>(4);
  const auto put = [&](std::uint32_t gpu, std::uint64_t word, std::uint64_t value) {
    std::memcpy(reinterpret_cast<unsigned char*>(&gpus[gpu]) + word * 8, &value, sizeof value);
  };
  const std::uint64_t places[] = {0, 1, 3, 62, 63, 64, 65, 126, 127, 128, 130, 200, 1000, kWords - 2, kWords - 1};
  for (std::uint32_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
    put(0, places[i], i + 1);
    put(1, places[i], i % 3 == 0 ? 0 : i + 1);
    put(2, places[i] ^ 1, i + 7);
    if (i % 2 == 0) put(3, places[i], i + 100);
  }
  const auto node = std::make_unique<Node>();
  std::vector<std::uint64_t> words(write_image(*node, gpus.get(), 4, "ends", nullptr) / 8);
  ASSERT_EQ(write_image(*node, gpus.get(), 4, "ends", words.data()), words.size() * 8);
  Image image;
  ASSERT_EQ(open_image(words.data(), words.size() * 8, &image), ImageError::none);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const auto read = std::make_unique<Gpu>();
    read_gpu(image, i, read.get());
    EXPECT_EQ(std::memcmp(read.get(), &gpus[i], sizeof(Gpu)), 0) << i;
  }
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
