// SPDX-License-Identifier: Apache-2.0
// Clusters of several blocks: places, each other's memory, barriers, against the loops that they stand for.
#include <gtest/gtest.h>

#include "tests/unit/kernels/harness.hpp"

namespace nvmlab::kernels_test {
namespace {

using Words = Buffer<std::uint32_t>;

constexpr int kIllegalAddress = 700;
constexpr int kIllegalInstruction = 715;
constexpr int kInvalidClusterSize = 912;

const Module& clusters() {
  static const Module module(kernel_file("clusters.ptx"));
  return module;
}

TEST(KernelClusters, KnowTheirPlaces) {
  ASSERT_EQ(clusters().code(), 0) << clusters().message();
  const Module::Shape shape{{4, 6, 2}, 3, {2, 3, 1}};
  Words out(48 * 15);
  const nvmlab_fault fault = clusters().launch_grid("places", shape, {out.address()});
  ASSERT_EQ(fault.code, 0) << fault.message;
  for (std::uint32_t block = 0; block < 48; ++block) {
    const std::uint32_t index[3] = {block % 4, block / 4 % 6, block / 24};
    const std::uint32_t* const found = &out[block * 15];
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(found[i], index[i] / shape.cluster[i]) << block;
      EXPECT_EQ(found[3 + i], shape.grid[i] / shape.cluster[i]) << block;
      EXPECT_EQ(found[6 + i], index[i] % shape.cluster[i]) << block;
      EXPECT_EQ(found[9 + i], shape.cluster[i]) << block;
    }
    EXPECT_EQ(found[12], index[0] % 2 + index[1] % 3 * 2) << block;
    EXPECT_EQ(found[13], 6U) << block;
    EXPECT_EQ(found[14], 1U) << block;
  }
  ASSERT_EQ(clusters().launch("places", 1, 32, {out.address()}).code, 0);
  EXPECT_EQ(out[13], 1U);
  EXPECT_EQ(out[14], 0U);
}

TEST(KernelClusters, ReachEachOthersMemory) {
  for (const std::uint32_t size : {1U, 2U, 3U, 8U, 16U}) {
    for (const std::uint32_t threads : {1U, 33U, 64U}) {
      const std::uint32_t blocks = size * 5;
      Words out(std::size_t{blocks} * threads * 4);
      const nvmlab_fault fault =
          clusters().launch_grid("neighbours", {{blocks, 1, 1}, threads, {size, 1, 1}}, {out.address()});
      ASSERT_EQ(fault.code, 0) << size << ": " << fault.message;
      for (std::uint32_t block = 0; block < blocks; ++block) {
        const std::uint32_t first = block / size * size;
        const std::uint32_t before = first + (block - first + size - 1) % size;
        for (std::uint32_t thread = 0; thread < threads; ++thread) {
          const std::uint32_t* const found = &out[(std::size_t{block} * threads + thread) * 4];
          ASSERT_EQ(found[0], before * threads + thread) << size << ", block " << block;
          ASSERT_EQ(found[1], block * threads + thread) << size << ", block " << block;
          ASSERT_EQ(found[2], 3 * size * threads) << size << ", block " << block;
          ASSERT_EQ(found[3], size == 1 ? 1U : 0U) << size << ", block " << block;
        }
      }
    }
  }
}

// With an arrival that waits, or one that is told only by the wait, this does not end.
TEST(KernelClusters, ArriveBeforeTheyWait) {
  Words out(2);
  const nvmlab_fault fault = clusters().launch_grid("early", {{2, 1, 1}, 64, {2, 1, 1}}, {out.address()});
  ASSERT_EQ(fault.code, 0) << fault.message;
  EXPECT_EQ(out[0], 64U);
  EXPECT_EQ(out[1], 64U);
}

TEST(KernelClusters, MeetAgainAndAgain) {
  constexpr std::uint32_t kSize = 6;
  for (const std::uint32_t rounds : {1U, 2U, 37U}) {
    Words out(4 * kSize);
    const nvmlab_fault fault =
        clusters().launch_grid("rounds", {{4 * kSize, 1, 1}, 70, {kSize, 1, 1}}, {out.address(), rounds});
    ASSERT_EQ(fault.code, 0) << fault.message;
    for (std::uint32_t block = 0; block < out.size(); ++block)
      EXPECT_EQ(out[block], (block % kSize + kSize * rounds - rounds) % kSize + rounds) << block;
  }
}

TEST(KernelClusters, TellEachOtherByBarriersInMemory) {
  for (const std::uint32_t size : {1U, 2U, 7U}) {
    Words out(3);
    const nvmlab_fault fault = clusters().launch_grid("told", {{size * 3, 1, 1}, 40, {size, 1, 1}}, {out.address()});
    ASSERT_EQ(fault.code, 0) << fault.message;
    std::uint32_t sum = 0;
    for (std::uint32_t rank = 0; rank < size; ++rank)
      sum += rank * rank + 5;
    for (std::size_t i = 0; i < out.size(); ++i)
      EXPECT_EQ(out[i], sum) << size;
  }
}

TEST(KernelClusters, AreAsTheKernelIsDeclared) {
  Words out(6);
  ASSERT_EQ(clusters().launch("declared", 6, 1, {out.address()}).code, 0);
  for (std::size_t i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], 2U);
  EXPECT_EQ(clusters().facts("declared").cluster[0], 2U);
  EXPECT_EQ(clusters().facts("stuck").cluster[0], 0U);
  EXPECT_EQ(clusters().launch_grid("declared", {{6, 1, 1}, 1, {2, 1, 1}}, {out.address()}).code, 0);
  EXPECT_EQ(clusters().launch_grid("declared", {{6, 1, 1}, 1, {3, 1, 1}}, {out.address()}).code, kInvalidClusterSize);
}

TEST(KernelClusters, AreRefusedWhatTheyCannotBe) {
  const auto code = [](const char* name, const Module::Shape& shape) {
    return clusters().launch_grid(name, shape, {}).code;
  };
  EXPECT_EQ(code("stuck", {{34, 1, 1}, 1, {17, 1, 1}}), kInvalidClusterSize);
  EXPECT_EQ(code("stuck", {{64, 64, 1}, 1, {1U << 31, 2, 1}}), kInvalidClusterSize);
  EXPECT_EQ(code("stuck", {{5, 1, 1}, 1, {2, 1, 1}}), kInvalidClusterSize);
  EXPECT_EQ(code("stuck", {{4, 1, 1}, 1, {2, 0, 1}}), kInvalidClusterSize);
  const Module large(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry large() .maxclusterrank 64 { ret; }\n");
  ASSERT_EQ(large.code(), 0) << large.message();
  EXPECT_EQ(large.launch_grid("large", {{32, 1, 1}, 1, {16, 1, 1}}, {}).code, 0);
  EXPECT_EQ(large.launch_grid("large", {{32, 1, 1}, 1, {32, 1, 1}}, {}).code, kInvalidClusterSize);
  EXPECT_EQ(code("beyond", {{4, 1, 1}, 1, {4, 1, 1}}), kIllegalAddress);
  EXPECT_EQ(code("beyond", {{1, 1, 1}, 1, {}}), kIllegalAddress);
  EXPECT_EQ(code("stuck", {{2, 1, 1}, 32, {2, 1, 1}}), kIllegalInstruction);
}

}  // namespace
}  // namespace nvmlab::kernels_test
