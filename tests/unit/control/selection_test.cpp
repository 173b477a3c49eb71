// SPDX-License-Identifier: Apache-2.0
#include "control/selection.hpp"

#include <gtest/gtest.h>

namespace nvmlab::control {
namespace {

using Gpus = std::vector<std::uint32_t>;
const std::vector<SelectableGpu> kGpus = {
    {"GPU-a", {0, 7, 0, 0}}, {"GPU-b", {0, 0x3B, 0, 0}}, {"GPU-cafe", {9, 1, 0, 0}}, {"GPU-dead", {0x10000, 1, 0, 0}}};

TEST(Selection, IndicesRangesUuidsAndAll) {
  EXPECT_EQ(select_gpus("0", kGpus), Gpus({0}));
  EXPECT_EQ(select_gpus("3,1", kGpus), Gpus({1, 3}));
  EXPECT_EQ(select_gpus("1-3", kGpus), Gpus({1, 2, 3}));
  EXPECT_EQ(select_gpus("0,2-3", kGpus), Gpus({0, 2, 3}));
  EXPECT_EQ(select_gpus("GPU-cafe", kGpus), Gpus({2}));
  EXPECT_EQ(select_gpus("GPU-cafe,0,2", kGpus), Gpus({0, 2}));
  EXPECT_EQ(select_gpus("all", kGpus), Gpus({0, 1, 2, 3}));
  EXPECT_EQ(select_gpus("all", {}), Gpus());
}

TEST(Selection, TheBeginningOfOneUuid) {
  EXPECT_EQ(select_gpus("GPU-ca", kGpus), Gpus({2}));
  EXPECT_EQ(select_gpus("GPU-d,GPU-c", kGpus), Gpus({2, 3}));
  EXPECT_EQ(select_gpus("GPU-a", kGpus), Gpus({0})) << "whole";
  EXPECT_EQ(select_gpus("GPU-", kGpus).error(), "4 GPUs have a UUID that begins with GPU-; give more of it");
}

TEST(Selection, AddressesInEveryForm) {
  for (const char* text : {"00000000:3B:00.0", "0000:3b:00.0", "0:3b:0", "3b:00.0", "3B:00"})
    EXPECT_EQ(select_gpus(text, kGpus), Gpus({1})) << text;
  EXPECT_EQ(select_gpus("10000:01:00.0,9:1:0", kGpus), Gpus({2, 3}));
  EXPECT_EQ(select_gpus("01:00.0", kGpus).error(), "no GPU of this machine has the PCI address '01:00.0'");
  EXPECT_EQ(select_gpus("3b:00.1", kGpus).error(), "no GPU of this machine has the PCI address '3b:00.1'");
  EXPECT_NE(select_gpus("3b:xx", kGpus).error().find("such as 0000:07:00.0"), std::string::npos);
}

TEST(Selection, WhatIsWrongIsSaid) {
  EXPECT_EQ(select_gpus("4", kGpus).error(), "no GPU 4; this machine has GPUs 0 to 3");
  EXPECT_EQ(select_gpus("0-4", kGpus).error(), "no GPU 4; this machine has GPUs 0 to 3");
  EXPECT_EQ(select_gpus("1", std::span(kGpus).first(1)).error(), "no GPU 1; this machine has one GPU, 0");
  EXPECT_EQ(select_gpus("0", {}).error(), "no GPU 0; this machine has no GPU");
  EXPECT_EQ(select_gpus("GPU-x", kGpus).error(), "no GPU of this machine has the UUID 'GPU-x'");
  for (const char* text : {"", ",", "0,", "-1", "1-", "3-1", "a", "0x1", "1 2", "99999999999", "ALL"}) {
    const auto selected = select_gpus(text, kGpus);
    ASSERT_FALSE(selected) << text;
    EXPECT_NE(selected.error().find("a UUID, a PCI address or 'all' was expected"), std::string::npos)
        << text << ": " << selected.error();
  }
}

TEST(Selection, NamesOfGroups) {
  EXPECT_EQ(name_gpus(Gpus{}), "");
  EXPECT_EQ(name_gpus(Gpus{5}), "5");
  EXPECT_EQ(name_gpus(Gpus{0, 1, 2}), "0-2");
  EXPECT_EQ(name_gpus(Gpus{0, 2, 3, 7}), "0,2-3,7");
}

}  // namespace
}  // namespace nvmlab::control
