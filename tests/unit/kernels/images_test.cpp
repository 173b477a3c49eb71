// SPDX-License-Identifier: Apache-2.0
// Fatbins with several images: the one that fits is taken; what fits none, and what is damaged, is told with a code and
// what to do.
#include <gtest/gtest.h>

#include "kernels/images/fatbin.hpp"
#include "kernels/ptx/versions.hpp"
#include "tests/unit/kernels/fatbins.hpp"
#include "tests/unit/kernels/harness.hpp"

namespace nvmlab::kernels_test {
namespace {

using kernels::ImageTarget;

constexpr const char* kCubin =
    "\x7F"
    "ELF and so on";

std::string taken(const std::string& image, const ImageTarget& device = {90, 84}) {
  const auto ptx = kernels::ptx_of(image.c_str(), device);
  return ptx ? ptx->texts.front() : std::to_string(ptx.error().code) + ": " + ptx.error().text;
}

TEST(Images, TheNewestThatTheDeviceTakes) {
  const std::string several =
      fatbin(fatbin_entry(2, 90, 0, kCubin) + fatbin_entry(1, 52, 70, "for 52") + fatbin_entry(1, 80, 84, "for 80") +
             fatbin_entry(1, 89, 85, "newer PTX") + fatbin_entry(1, 100, 84, "for 100"));
  EXPECT_EQ(taken(several), "for 80");
  EXPECT_EQ(taken(several, {90, 85}), "newer PTX");
  EXPECT_EQ(taken(several, {90, 0}), "newer PTX") << "a driver that is newer than the table reads all";
  EXPECT_EQ(taken(several, {75, 84}), "for 52");
  EXPECT_EQ(taken(several, {120, 84}), "for 100");
}

TEST(Images, PackedOnesAreUnpacked) {
  const std::string text = kernel_file("vector_add.ptx");
  const std::string zstd = fatbin(fatbin_entry(1, 80, 70, packed_by_zstd(text), kPackedByZstd, text.size()));
  const std::string lz4 = fatbin(fatbin_entry(1, 80, 70, packed_by_lz4(text), kPackedByLz4, text.size()));
  EXPECT_EQ(taken(zstd), text);
  EXPECT_EQ(taken(lz4), text);
  EXPECT_EQ(Module(zstd).code(), 0);
  EXPECT_EQ(Module(lz4).code(), 0);
  const struct {
    std::uint32_t magic = 0x466243B1;
    std::uint32_t version = 1;
    const void* data;
    const void* unused = nullptr;
  } wrapper{.data = zstd.data()};
  EXPECT_EQ(kernels::ptx_of(&wrapper, {90, 84}).value_or(kernels::PtxTexts{}).texts, std::vector{text});
}

// As nvcc -rdc=true leaves it: an empty fatbin, and a list of the parts' own.
TEST(Images, AProgramThatIsLinkedOfParts) {
  const std::string empty = fatbin("");
  const std::string head = ".version 7.0\n.target sm_80\n.address_size 64\n";
  const std::string first = head + ".extern .func (.param .b32 r) twice(.param .b32 v);\n";
  const std::string second = head + ".visible .func (.param .b32 r) twice(.param .b32 v) { ret; }\n";
  const std::string parts[] = {fatbin(fatbin_entry(1, 80, 70, first)), fatbin(fatbin_entry(1, 80, 70, second)),
                               fatbin(fatbin_entry(2, 90, 0, kCubin) + fatbin_entry(1, 121, 90, "text"))};
  const char* list[] = {parts[0].data(), parts[1].data(), nullptr, nullptr};
  struct {
    std::uint32_t magic = 0x466243B1;
    std::uint32_t version = 2;
    const void* data;
    const void* parts;
  } wrapper{.data = empty.data(), .parts = list};
  const auto read = [&] { return kernels::ptx_of(&wrapper, {90, 90}); };
  EXPECT_EQ(read().value_or(kernels::PtxTexts{}).texts, (std::vector{first, second}));
  // A part without PTX: the device runtime where somebody calls it, else one that was built in another way.
  list[2] = parts[2].data();
  EXPECT_EQ(read().error().code, 209);
  const std::string calls = first + ".extern .func (.param .b64 h) cudaCGGetIntrinsicHandle(.param .b32 scope);\n";
  const std::string caller = fatbin(fatbin_entry(1, 80, 70, calls));
  list[0] = caller.data();
  ASSERT_TRUE(read().has_value()) << read().error().text;
  EXPECT_EQ(read()->texts.size(), 3U);
  EXPECT_NE(read()->texts[2].find("cudaCGSynchronize"), std::string::npos);
  list[1] = parts[2].data();
  EXPECT_EQ(read().error().code, 209);
  const std::string damaged(16, 'x');
  list[1] = damaged.data();
  EXPECT_EQ(read().error().text, "part 2 of this program is no fatbin");
  list[0] = nullptr;
  EXPECT_EQ(read().error().text, "this program was linked of no parts");
}

TEST(Images, WhatFitsNoneSaysWhatItHolds) {
  EXPECT_EQ(taken(fatbin(fatbin_entry(2, 75, 0, kCubin) + fatbin_entry(1, 100, 84, "text"))),
            "209: this fatbin has no PTX for compute capability 9.0; it holds a cubin for sm_75, PTX 8.4 for sm_100; "
            "kernels run from PTX; build with -gencode arch=compute_80,code=compute_80, or hand over PTX text");
  EXPECT_EQ(taken(fatbin(fatbin_entry(1, 80, 90, "text"))),
            "222: the PTX of this fatbin is newer than the driver, which reads up to 8.4; it holds PTX 9.0 for sm_80; "
            "simulate a newer driver, or build with an older toolkit");
  EXPECT_EQ(taken(fatbin("")).substr(0, 3), "209");
}

TEST(Images, ElfFiles) {
  std::string elf(64, '\0');
  elf.replace(0, 4,
              "\x7F"
              "ELF");
  put<std::uint16_t>(elf, 18, 190);
  EXPECT_EQ(taken(elf).substr(0, 57), "209: this is a cubin, which is code of a real GPU; kernel");
  put<std::uint16_t>(elf, 18, 62);
  EXPECT_EQ(taken(elf), "200: this is an ELF file, and none for a GPU; hand over PTX or a fatbin");
}

TEST(Images, DamagedOnesAreRefused) {
  const std::string text = kernel_file("vector_add.ptx");
  const std::string good = fatbin_entry(1, 80, 70, packed_by_zstd(text), kPackedByZstd, text.size());
  std::string bad = good;
  bad[80] = static_cast<char>(bad[80] ^ 0x55);
  EXPECT_EQ(taken(fatbin(bad)),
            "200: PTX 7.0 for sm_80 in this fatbin is packed with zstd, and damaged; build the program again");
  bad = good;
  put<std::uint64_t>(bad, 56, std::uint64_t{1} << 40);
  EXPECT_EQ(taken(fatbin(bad)), "200: PTX in a fatbin says to be longer than 1 GiB");
  put<std::uint64_t>(bad, 56, text.size() + 1);
  EXPECT_EQ(taken(fatbin(bad)).substr(0, 4), "200:") << "another size than it says";
  bad = good;
  put<std::uint64_t>(bad, 8, std::uint64_t{1} << 60);
  EXPECT_EQ(taken(fatbin(good + bad)), "200: entry 2 of this fatbin leaves it; it is damaged");
  bad = good;
  put<std::uint32_t>(bad, 4, 8);
  EXPECT_EQ(taken(fatbin(bad)), "200: entry 1 of this fatbin leaves it; it is damaged");
  EXPECT_EQ(taken(fatbin(good).replace(8, 8, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8)),
            "200: the header of this fatbin is damaged");
  EXPECT_EQ(taken(""), "200: the image is empty");
  EXPECT_EQ(taken("\x01\x02"), "200: this is neither PTX nor a fatbin nor a cubin");
  const std::uint64_t wrapper[] = {0x1'466243B1, 0, 0};
  EXPECT_EQ(kernels::ptx_of(wrapper, {90, 84}).error().code, 200);
}

TEST(Images, ATextThatIsNewerThanTheDriver) {
  const Module module(".version 8.5\n.target sm_80\n.address_size 64\n.something new\n", 90, 12040);
  EXPECT_EQ(module.code(), 222);
  EXPECT_EQ(
      module.message(),
      "ptx:1:10: this is PTX 8.5, and the driver reads up to 8.4; simulate a newer driver, or build with an older "
      "toolkit");
  EXPECT_EQ(Module(".version 8.4\n.target sm_80\n", 90, 12040).code(), 0);
  EXPECT_EQ(ptx::newest_version(11080), 78U);
  EXPECT_EQ(ptx::newest_version(10020), 65U);
  EXPECT_EQ(ptx::newest_version(99000), 0U);
}

}  // namespace
}  // namespace nvmlab::kernels_test
