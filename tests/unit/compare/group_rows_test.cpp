// SPDX-License-Identifier: Apache-2.0
//
// Rows become lines, and statements short texts.
#include "compare/group_rows.hpp"

#include <gtest/gtest.h>

#include "tests/unit/compare/made_up.hpp"

namespace nvmlab::compare {
namespace {

TEST(Fold, GpusThatSayTheSameShareALine) {
  const Side a = side({{value("power.x", "1"), value("power.y", "1")},
                       {value("power.x", "1"), value("power.y", "1")},
                       {value("power.x", "1"), value("power.y", "1")}},
                      {value("system.v", "1")});
  const Side b = side({{value("power.x", "2"), value("power.y", "2")},
                       {value("power.x", "3"), value("power.y", "2")},
                       {value("power.x", "2"), value("power.y", "2")}},
                      {value("system.v", "2")});
  const Report report = compare(a, b);
  const auto lines = group_rows(report);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].any().name, "system.v");
  EXPECT_TRUE(lines[0].gpus.empty());
  EXPECT_EQ(lines[1].any().name, "power.x");
  EXPECT_EQ(lines[1].gpus, (std::vector<Pair>{{0, 0}, {2, 2}}));
  EXPECT_EQ(lines[2].gpus, (std::vector<Pair>{{1, 1}}));
  EXPECT_EQ(lines[2].b->text, "3");
  EXPECT_EQ(lines[3].gpus.size(), 3u) << "power.y";
}

TEST(Fold, TopicsStandTogether) {
  const Side a = side({{value("power.x", "1"), value("pci.x", "1"), value("power.z", "1")}});
  const Report report = compare(a, side({{}}));
  const auto lines = group_rows(report);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1].any().name, "power.z");
}

std::string text(const Statement& statement) { return cells_of(&statement, nullptr).a; }

TEST(Cells, SayValuesWithTheirUnits) {
  Statement limit = value("power.limit_mw", "700000");
  limit.shape = StatementShape::number;
  limit.unit = "mW";
  EXPECT_EQ(text(limit), "700000 mW");
  Statement bytes = value("memory.total_bytes", "85520809984");
  bytes.unit = "B";
  EXPECT_EQ(text(bytes), "81559 MiB");
  bytes.text = "502792192";
  EXPECT_EQ(text(bytes), "479.5 MiB");
  bytes.text = "502792193";
  EXPECT_EQ(text(bytes), "502792193 B");
  Statement device = value("pci.device_id", "590352606");
  device.hexadecimal = true;
  EXPECT_EQ(text(device), "0x233010DE");
  EXPECT_EQ(text(value("identity.serial", "")), "''");
}

TEST(Cells, SayWhatIsNotTold) {
  EXPECT_EQ(cells_of(nullptr, nullptr).a, "-");
  EXPECT_EQ(text(code("x.y", "NO_PERMISSION")), "NO_PERMISSION");
  EXPECT_EQ(text(assumed(value("x.y", "41"))), "(41)");
  EXPECT_EQ(text(assumed(code("x.y", "NOT_SUPPORTED"))), "-");
  EXPECT_EQ(text(assumed(list("x.y", {}, 0))), "-");
}

TEST(Cells, SayWhatDiffersFirstInALists) {
  const Statement a = list("clocks.supported", {{"[0].mhz", "1"}, {"[1].mhz", "2"}, {"[2].mhz", "3"}}, 3);
  const Statement b = list("clocks.supported", {{"[0].mhz", "1"}, {"[1].mhz", "5"}}, 2);
  const Cells cells = cells_of(&a, &b);
  EXPECT_EQ(cells.a, "3 items");
  EXPECT_EQ(cells.b, "2 items");
  EXPECT_EQ(cells.part, "[1].mhz");
  EXPECT_EQ(cells.part_a, "2");
  EXPECT_EQ(cells.part_b, "5");
  EXPECT_EQ(cells.different_parts, 2u);
  EXPECT_EQ(cells_of(&b, &a).different_parts, 2u);
  const Statement none = list("clocks.supported", {}, 0);
  EXPECT_EQ(cells_of(&a, &none).b, "none");
  EXPECT_EQ(cells_of(&a, &none).part, "");
}

TEST(Cells, SayFirstWhatMakesTheDifference) {
  const auto memory = [](const std::string& used, const std::string& total) {
    return list("memory", {{"used", used, Nature::live}, {"total", total}}, 2);
  };
  const Statement a = memory("1", "8");
  const Statement b = memory("2", "9");
  EXPECT_EQ(cells_of(&a, &b).part, "total");
  const Statement later = memory("2", "8");
  EXPECT_EQ(cells_of(&a, &later).part, "used");
}

}  // namespace
}  // namespace nvmlab::compare
