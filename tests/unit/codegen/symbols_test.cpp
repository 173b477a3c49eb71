// SPDX-License-Identifier: Apache-2.0
// Exported names read from a real shared library, from lists, and from damaged files.
#include "codegen/parser/symbols.hpp"

#include <gtest/gtest.h>

#include "codegen/io/files.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

using Names = std::vector<std::string>;

std::string sample_image() { return read_file(test::environment("NVMLAB_TEST_SYMBOLS_SAMPLE")).value(); }

TEST(Symbols, AreReadFromALibrary) {
  const auto symbols = exported_symbols(test::environment("NVMLAB_TEST_SYMBOLS_SAMPLE"));
  ASSERT_TRUE(symbols) << symbols.error().text();
  EXPECT_EQ(*symbols, (Names{"nvmlSampleOne", "nvmlSampleTwo"})) << "no import, no data, no other name";
}

TEST(Symbols, AreReadFromAList) {
  EXPECT_EQ(symbols_in_list("nvmlB\nnvmlA\r\n\nnvmlB\nnscq_other\n", "l").value(), (Names{"nvmlA", "nvmlB"}));
  EXPECT_EQ(symbols_in_list("nvmlA", "l").value(), (Names{"nvmlA"}));
}

TEST(Symbols, WrongListsAreRefused) {
  EXPECT_EQ(symbols_in_list("nvmlA\n<html>\n", "l").error().text(),
            "l:2:1: '<html>' is not a symbol; expected one name a line");
  EXPECT_FALSE(symbols_in_list("", "l"));
  EXPECT_FALSE(symbols_in_list("other\n", "l"));
}

TEST(Symbols, ALibraryWithoutThemIsRefused) {
  std::string image = sample_image();
  for (std::size_t at = 0; (at = image.find("nvmlSample", at)) != std::string::npos; ++at)
    image[at] = 'x';
  EXPECT_NE(symbols_in_elf(image, "l").error().message.find("exports no nvml*"), std::string::npos);
}

TEST(Symbols, EveryTruncationIsRefusedOrComplete) {
  const std::string image = sample_image();
  for (std::size_t length = 0; length < image.size(); length += 7) {
    const auto symbols = symbols_in_elf(std::string_view(image).substr(0, length), "l");
    if (symbols) {
      EXPECT_EQ(*symbols, (Names{"nvmlSampleOne", "nvmlSampleTwo"})) << length;
    }
  }
}

TEST(Symbols, DamageNeverReadsOutside) {
  const std::string image = sample_image();
  std::uint64_t state = 7;
  const auto next = [&state] { return state = state * 6364136223846793005U + 1442695040888963407U; };
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = image;
    // The ELF header, the tables' headers at the end, and anywhere.
    damaged[(next() >> 33U) % 64] = static_cast<char>(next() >> 56U);
    damaged[damaged.size() - 1 - (next() >> 33U) % 2048] = static_cast<char>(next() >> 56U);
    damaged[(next() >> 33U) % damaged.size()] = static_cast<char>(next() >> 56U);
    const auto symbols = symbols_in_elf(damaged, "l");
    EXPECT_TRUE(symbols || !symbols.error().message.empty());
  }
}

TEST(Symbols, OtherMachinesAreRefused) {
  std::string image = sample_image();
  image[4] = 1;  // 32-bit
  EXPECT_NE(symbols_in_elf(image, "l").error().message.find("64-bit"), std::string::npos);
}

}  // namespace
}  // namespace nvmlab::codegen
