// SPDX-License-Identifier: Apache-2.0
//
// The committed tables of facts are what the captures say, no more and no less. To write one anew:
//   build/dev/tests/capture-leaves table FOLDER/NVIDIA+k8s-test-infra/qx-t4.xml --board t4 --source
//   NVIDIA+k8s-test-infra/qx-t4.xml
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <ostream>
#include <string>

#include "import/capture/capture.hpp"
#include "tests/support/files.hpp"
#include "tests/support/leaf_table.hpp"

namespace nvmlab::test {
namespace {

struct Committed {
  std::string name;
  std::string bytes;
  LeafTable table;
};

std::vector<Committed> committed_tables() {
  std::vector<Committed> all;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() / "tests" / "clients" / "boards")) {
    const auto bytes = read_file(entry.path());
    auto table = read_table(bytes.value_or(""), entry.path().string());
    EXPECT_TRUE(table) << table.error().text();
    if (bytes && table) all.push_back({entry.path().stem().string(), *bytes, std::move(*table)});
  }
  EXPECT_GE(all.size(), 19U);
  return all;
}

TEST(Boards, TablesAreWellFormed) {
  for (const auto& [name, bytes, table] : committed_tables()) {
    EXPECT_EQ(table.board, name);
    EXPECT_FALSE(table.source.empty()) << name;
    ASSERT_FALSE(table.leaves.empty()) << name;
    const auto gpus = static_cast<unsigned>(table.leaves.back().gpu + 1);
    EXPECT_GE(gpus, 1U) << name;
    EXPECT_GT(table.leaves.size(), 150U * gpus) << name;
  }
}

TEST(Boards, TablesEqualTheCaptures) {
  NVMLAB_REQUIRE_CAPTURES(captures);
  for (const auto& [name, bytes, table] : committed_tables()) {
    const auto file = read_file(captures / table.source);
    ASSERT_TRUE(file) << table.source;
    const auto capture = capture::read_capture(*file, table.source);
    ASSERT_TRUE(capture) << capture.error().text();
    EXPECT_TRUE(bytes == write_table(*capture, name, table.source))
        << name << ": the table and the capture differ; `capture-leaves compare` shows where, `capture-leaves table` "
        << "writes it anew";
  }
}

}  // namespace
}  // namespace nvmlab::test
