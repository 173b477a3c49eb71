// SPDX-License-Identifier: Apache-2.0
#include "recorder/mask.hpp"

#include <gtest/gtest.h>

#include <array>

namespace nvmlab::recorder {
namespace {

constexpr const char* kOne = "GPU-8c2f1a9e-77aa-4d0b-9c3e-2b1f00aa1234";
constexpr const char* kTwo = "GPU-8c2f1a9e-77aa-4d0b-9c3e-2b1f00aa1235";

TEST(Masker, EqualStaysEqualAndDistinctDistinct) {
  Masker masker(true);
  const std::string one = masker.text(kOne, Mask::number);
  const std::string two = masker.text(kTwo, Mask::number);
  EXPECT_EQ(one, "GPU-00000000-0000-0000-0000-000000000001");
  EXPECT_EQ(two, "GPU-00000000-0000-0000-0000-000000000002");
  EXPECT_EQ(masker.text(kOne, Mask::number), one);
}

TEST(Masker, FindsUuidsWithinTexts) {
  Masker masker(true);
  masker.text(kTwo, Mask::number);
  EXPECT_EQ(masker.text("MIG-" + std::string(kOne) + "/7/0", Mask::number),
            "MIG-GPU-00000000-0000-0000-0000-000000000002/7/0");
  EXPECT_EQ(masker.text(kOne, Mask::number), "GPU-00000000-0000-0000-0000-000000000002");
}

TEST(Masker, KeepsTheShapeOfSerialNumbers) {
  Masker masker(true);
  EXPECT_EQ(masker.text("1650524012345", Mask::number), "0000000000001");
  EXPECT_EQ(masker.text("1650524012346", Mask::number), "0000000000002");
  EXPECT_EQ(masker.text("ABC", Mask::number), "003");
}

TEST(Masker, NamesBecomeWords) {
  Masker masker(true);
  EXPECT_EQ(masker.text("/home/somebody/train", Mask::process), "process-1");
  EXPECT_EQ(masker.text("node17.example.org", Mask::host), "host-1");
  EXPECT_EQ(masker.text("python3", Mask::process), "process-2");
}

TEST(Masker, LeavesAloneWhatSaysNothing) {
  Masker masker(true);
  for (const char* text : {"", "N/A", "0", "00000000-0000-0000-0000-000000000000"})
    EXPECT_EQ(masker.text(text, Mask::number), text);
  EXPECT_EQ(masker.number(0), 0u);
  EXPECT_EQ(masker.number(~std::uint64_t{0}), ~std::uint64_t{0});
  EXPECT_EQ(masker.number(77), 1u);
  EXPECT_EQ(masker.number(78), 2u);
  EXPECT_EQ(masker.number(77), 1u);
  const std::array<std::byte, 4> zeros{};
  EXPECT_EQ(masker.bytes(zeros.data(), zeros.size()), std::string(4, '\0'));
  const std::array<std::byte, 4> some{std::byte{9}, std::byte{8}};
  EXPECT_EQ(masker.bytes(some.data(), some.size()), std::string({0, 0, 0, 1}));
  EXPECT_EQ(masker.text(kOne, Mask::none), kOne);
}

TEST(Masker, OffKeepsEverything) {
  Masker masker(false);
  EXPECT_EQ(masker.text(kOne, Mask::number), kOne);
  EXPECT_EQ(masker.text("host", Mask::host), "host");
  EXPECT_EQ(masker.number(77), 77u);
}

}  // namespace
}  // namespace nvmlab::recorder
