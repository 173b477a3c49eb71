// SPDX-License-Identifier: Apache-2.0
//
// The committed tables of facts are what the captures say, no more and no less. To write one anew:
//   build/dev/tests/capture-leaves table ../shared/captures/NVIDIA+k8s-test-infra/qx-t4.xml --board t4 --source
//   NVIDIA+k8s-test-infra/qx-t4.xml
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "support/files.hpp"
#include "support/leaf_table.hpp"
#include "workshop/capture/capture.hpp"

namespace nvmlab::test {
namespace {

struct Board {
  const char* name;
  const char* source;
  int gpus;
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest finds it by this name
void PrintTo(const Board& board, std::ostream* out) { *out << board.name; }

constexpr Board boards[] = {
    {"dgx-h100", "NVIDIA+k8s-test-infra/qx-h100.xml", 8},
    {"a100-sxm4-40gb", "NVIDIA+k8s-test-infra/qx-a100.xml", 1},
    {"t4", "NVIDIA+k8s-test-infra/qx-t4.xml", 1},
};

class Boards : public testing::TestWithParam<Board> {};

TEST_P(Boards, TableIsWellFormed) {
  const auto file = source_folder() / "tests" / "clients" / "boards" / (std::string{GetParam().name} + ".tsv");
  const auto bytes = read_file(file);
  ASSERT_TRUE(bytes) << file;
  const auto table = read_table(*bytes, file.string());
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_EQ(table->board, GetParam().name);
  EXPECT_EQ(table->source, GetParam().source);
  EXPECT_GT(table->leaves.size(), 150U * static_cast<unsigned>(GetParam().gpus));
  EXPECT_EQ(table->leaves.back().gpu, GetParam().gpus - 1);
}

TEST_P(Boards, TableEqualsTheCapture) {
  const auto captures = shared_captures();
  if (!captures) GTEST_SKIP() << "no captures beside this checkout (../shared/captures)";
  const auto bytes = read_file(*captures / GetParam().source);
  ASSERT_TRUE(bytes) << GetParam().source;
  const auto capture = capture::read_capture(*bytes, GetParam().source);
  ASSERT_TRUE(capture) << capture.error().text();
  const auto committed =
      read_file(source_folder() / "tests" / "clients" / "boards" / (std::string{GetParam().name} + ".tsv"));
  ASSERT_TRUE(committed);
  EXPECT_TRUE(*committed == write_table(*capture, GetParam().name, GetParam().source))
      << "the table and the capture differ; `capture-leaves compare` shows where, `capture-leaves table` writes it "
         "anew";
}

INSTANTIATE_TEST_SUITE_P(All, Boards, testing::ValuesIn(boards), [](const auto& board) {
  std::string name = board.param.name;
  for (auto& c : name)
    c = c == '-' ? '_' : c;
  return name;
});

}  // namespace
}  // namespace nvmlab::test
