// SPDX-License-Identifier: Apache-2.0
//
// A comparison as text: what fits, what is cut, what shares a line.
#include "command/compare/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "command/cli/output.hpp"
#include "command/compare/name_list.hpp"
#include "tests/unit/compare/made_up.hpp"

namespace nvmlab::tool {
namespace {

using compare::Class;
using compare::Matched;
using compare::Matching;
using compare::Nature;
using compare::Side;
using compare::side;
using compare::value;

std::string text_of(const Side& a, const Side& b, std::size_t columns, std::initializer_list<Class> classes) {
  Shown shown;
  for (const Class which : classes)
    shown.add(which);
  const compare::Report report = compare::compare(a, b);
  return comparison_text({&a, &b, "field"}, report, shown, columns);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(CompareTable, LinesFit) {
  const std::string name = "clocks." + std::string(70, 'x') + "_mhz";
  const Side a = side({{value(name, std::string(200, 'a'))}});
  const Side b = side({{value(name, std::string(200, 'b'))}});
  for (const std::size_t columns : {80u, 100u, 120u}) {
    const std::string text = text_of(a, b, columns, {Class::value});
    std::size_t longest = 0;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
      longest = std::max(longest, width(text.substr(at, text.find('\n', at) - at)));
    EXPECT_LE(longest, columns) << text;
    EXPECT_GE(longest, columns - 2) << "the room is used\n" << text;
    EXPECT_TRUE(has(text, "_mhz")) << "names keep their ends\n" << text;
    EXPECT_TRUE(has(text, "aaa...  bbb")) << text;
  }
}

TEST(CompareTable, ShortValuesAreWhole) {
  const std::string text = text_of(side({{value("power.limit_mw", "1")}}),
                                   side({{value("power.limit_mw", std::string(50, 'b'))}}), 80, {Class::value});
  EXPECT_TRUE(has(text, "power\n  limit_mw  value  1  " + std::string(50, 'b') + "\n")) << text;
}

TEST(CompareTable, ManyDifferentValuesShareALine) {
  std::vector<std::vector<compare::Statement>> gpus_a;
  std::vector<std::vector<compare::Statement>> gpus_b;
  for (int i = 0; i < 5; ++i) {
    gpus_a.push_back(
        {value("pci.bus", std::to_string(i)), value("identity.serial", "S" + std::to_string(i), Nature::identifier)});
    gpus_b.push_back({value("pci.bus", "9"), value("identity.serial", "T", Nature::identifier)});
  }
  const std::string text = text_of(side(gpus_a), side(gpus_b), 100, {Class::value, Class::identifier});
  EXPECT_TRUE(has(text, "  bus     all  value       0, 1, 2, 3, 4       9\n")) << text;
  EXPECT_TRUE(has(text, "  serial  all  identifier  S0, S1, S2, S3, S4  T\n")) << text;
}

TEST(CompareTable, MissingOnesAreListedByNameUnlessTheyAreShown) {
  const Side a = side({{value("power.x", "1"), value("power.y", "2"), value("pci.z", "3")}});
  const Side b = side({{}});
  EXPECT_TRUE(has(text_of(a, b, 100, {}), "Only A tells (3)\n  power: x, y\n  pci: z\n"));
  EXPECT_TRUE(has(text_of(b, a, 100, {}), "Only B tells (3)\n"));
  const std::string shown = text_of(a, b, 100, {Class::missing});
  EXPECT_TRUE(has(shown, "  x      missing  1  -\n")) << shown;
  EXPECT_FALSE(has(shown, "Only A tells"));
}

TEST(NameList, NamesThatDifferInANumberAreOne) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(with_ranges({"L0_RX", "L0_TX", "L1_RX", "L1_TX", "L2_RX", "L2_TX"}), (Names{"L0-2_RX", "L0-2_TX"}));
  EXPECT_EQ(with_ranges({"a", "L7", "L3", "L4", "b"}), (Names{"a", "L3-4,7", "b"}));
  EXPECT_EQ(with_ranges({"x1", "x2"}), (Names{"x1", "x2"})) << "two are no range";
  EXPECT_EQ(with_ranges({"v2_0_a", "v2_1_a", "v2_2_a", "v3_9_b"}), (Names{"v2_0-2_a", "v3_9_b"}));
  EXPECT_EQ(with_ranges({}), Names{});
}

TEST(CompareTable, GpusAreNamedShortly) {
  const Matching same{Matched::index, {{0, 0}, {1, 1}, {2, 2}, {3, 3}}, {}, {}};
  EXPECT_EQ(name_pairs(same.pairs, same), "all");
  EXPECT_EQ(name_pairs({{0, 0}, {2, 2}, {3, 3}}, same), "0,2-3");
  EXPECT_EQ(name_pairs({}, same), "");
  const Matching crossed{Matched::uuid, {{0, 1}, {1, 0}}, {}, {}};
  EXPECT_EQ(name_pairs({{0, 1}}, crossed), "0:1");
  const Matching board{Matched::board, {{0, 0}, {0, 1}, {0, 2}}, {}, {}};
  EXPECT_EQ(name_pairs({{0, 1}, {0, 2}}, board), "1-2");
  const Matching other{Matched::board, {{0, 0}, {1, 0}, {2, 0}}, {}, {}};
  EXPECT_EQ(name_pairs({{1, 0}, {2, 0}}, other), "1-2");
}

}  // namespace
}  // namespace nvmlab::tool
