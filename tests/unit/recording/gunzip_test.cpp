// SPDX-License-Identifier: Apache-2.0
#include "import/recording/gunzip.hpp"

#include <gtest/gtest.h>

#include "tests/unit/recording/recordings.hpp"

namespace nvmlab::recording {
namespace {

TEST(Gunzip, GivesTheTextBack) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{65536}, std::size_t{200000}}) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i)
      text += static_cast<char>('a' + (i * i) % 23);
    const auto unpacked = gunzip(test::gzip(text), std::size_t{1} << 20);
    ASSERT_TRUE(unpacked) << unpacked.error();
    EXPECT_EQ(unpacked->text, text);
    EXPECT_FALSE(unpacked->cut_off);
  }
}

TEST(Gunzip, SaysWhenTheDataEndsEarly) {
  const std::string text(100000, 'x');
  const std::string packed = test::gzip(text);
  for (const std::size_t size : {std::size_t{2}, std::size_t{12}, packed.size() - 1}) {
    const auto unpacked = gunzip(std::string_view(packed).substr(0, size), std::size_t{1} << 20);
    ASSERT_TRUE(unpacked) << unpacked.error();
    EXPECT_TRUE(unpacked->cut_off) << size;
    EXPECT_TRUE(text.starts_with(unpacked->text));
  }
}

TEST(Gunzip, KeepsToTheLimit) {
  const std::string packed = test::gzip(std::string(1000, 'x'));
  EXPECT_TRUE(gunzip(packed, 1000));
  EXPECT_FALSE(gunzip(packed, 999));
}

}  // namespace
}  // namespace nvmlab::recording
