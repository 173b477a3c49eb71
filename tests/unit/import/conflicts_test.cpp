// SPDX-License-Identifier: Apache-2.0
//
// Captures that contradict themselves: the value that does not fit is left out, and a note names its line.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/import/samples.hpp"

namespace nvmlab::importer {
namespace {

std::string row(int index, const std::string& name, const std::string& memory) {
  const std::string number = std::to_string(index);
  return "|   " + number + "  " + name + "                    On  |   00000000:0" + number +
         ":00.0 Off |                  N/A |\n| N/A   33C    P8             16W /   72W | " + memory +
         " |      7%      Default |\n";
}

const std::string kHead =
    "| NVIDIA-SMI 580.126.09             Driver Version: 580.126.09     CUDA Version: 13.0     |\n";

TEST(Conflicts, AGpuOfAnotherBoardKeepsItsValue) {
  const auto made =
      imported({{"t.txt", kHead + row(0, "NVIDIA X100", "1MiB / 100MiB") + row(1, "NVIDIA Y200", "300MiB / 200MiB")}});
  EXPECT_EQ(value(made, 0, "memory.used_bytes"), std::to_string(1 << 20));
  EXPECT_NE(value(made, 1, "memory.used_bytes"), std::to_string(300 << 20));
  const std::string note =
      "t.txt:5:1: memory.used_bytes 314572800 and memory.reserved_bytes 0 together are more than memory.total_bytes "
      "209715200; it is left out";
  EXPECT_NE(std::ranges::find(made.notes, note), made.notes.end());
}

TEST(Conflicts, AGpuOfTheSameBoardKeepsItsValue) {
  const auto made =
      imported({{"t.txt", kHead + row(0, "NVIDIA X100", "1MiB / 100MiB") + row(1, "NVIDIA X100", "300MiB / 100MiB")}});
  EXPECT_EQ(value(made, 0, "memory.used_bytes"), std::to_string(1 << 20));
  EXPECT_NE(value(made, 1, "memory.used_bytes"), std::to_string(300 << 20));
}

TEST(Conflicts, GpusOfOneBoardLoseTheValueThatTheyShare) {
  const auto made = imported(
      {{"t.txt", kHead + row(0, "NVIDIA X100", "300MiB / 100MiB") + row(1, "NVIDIA X100", "300MiB / 100MiB")}});
  EXPECT_EQ(made.yaml.find("used_bytes"), std::string::npos) << made.yaml;
}

}  // namespace
}  // namespace nvmlab::importer
