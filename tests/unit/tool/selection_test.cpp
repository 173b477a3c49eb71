// SPDX-License-Identifier: Apache-2.0
#include "tool/machine/selection.hpp"

#include <gtest/gtest.h>

namespace nvmlab::tool {
namespace {

using Gpus = std::vector<std::uint32_t>;
const std::vector<std::string> kUuids = {"GPU-a", "GPU-b", "GPU-c", "GPU-d"};

TEST(Selection, IndicesRangesUuidsAndAll) {
  EXPECT_EQ(select_gpus("0", kUuids), Gpus({0}));
  EXPECT_EQ(select_gpus("3,1", kUuids), Gpus({1, 3}));
  EXPECT_EQ(select_gpus("1-3", kUuids), Gpus({1, 2, 3}));
  EXPECT_EQ(select_gpus("0,2-3", kUuids), Gpus({0, 2, 3}));
  EXPECT_EQ(select_gpus("GPU-c", kUuids), Gpus({2}));
  EXPECT_EQ(select_gpus("GPU-c,0,2", kUuids), Gpus({0, 2}));
  EXPECT_EQ(select_gpus("all", kUuids), Gpus({0, 1, 2, 3}));
  EXPECT_EQ(select_gpus("all", {}), Gpus());
}

TEST(Selection, WhatIsWrongIsSaid) {
  EXPECT_EQ(select_gpus("4", kUuids).error(), "no GPU 4; this machine has GPUs 0 to 3");
  EXPECT_EQ(select_gpus("0-4", kUuids).error(), "no GPU 4; this machine has GPUs 0 to 3");
  EXPECT_EQ(select_gpus("1", std::span(kUuids).first(1)).error(), "no GPU 1; this machine has one GPU, 0");
  EXPECT_EQ(select_gpus("0", {}).error(), "no GPU 0; this machine has no GPU");
  EXPECT_EQ(select_gpus("GPU-x", kUuids).error(), "no GPU of this machine has the UUID 'GPU-x'");
  for (const char* text : {"", ",", "0,", "-1", "1-", "3-1", "a", "0x1", "1 2", "99999999999", "ALL"}) {
    const auto selected = select_gpus(text, kUuids);
    ASSERT_FALSE(selected) << text;
    EXPECT_NE(selected.error().find("a UUID or 'all' was expected"), std::string::npos)
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
}  // namespace nvmlab::tool
