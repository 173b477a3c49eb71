// SPDX-License-Identifier: Apache-2.0
//
// What an input says of a field: checked where it is read, kept in the layout of the state, printed as people write it.
#include <gtest/gtest.h>

#include "import/evidence/evidence.hpp"
#include "import/write/profile_writer.hpp"

namespace nvmlab::importer {
namespace {

using compiler::Label;
using compiler::Literal;
using compiler::LiteralList;
using compiler::LiteralRecord;

FieldValue checked(std::string_view field, const Literal& literal) {
  auto value = checked_value(field, literal, {});
  if (!value) throw std::runtime_error(value.error().front().message);
  return std::move(*value);
}

std::string flaw(std::string_view field, const Literal& literal) {
  const auto value = checked_value(field, literal, {});
  return value ? std::string() : value.error().front().message;
}

TEST(FieldValues, NumbersLabelsTextsAndErrorCodes) {
  EXPECT_EQ(checked("power.draw_mw", 49680).number(), 49680U);
  EXPECT_EQ(checked("modes.persistence", Label{"enabled"}).label(), "enabled");
  EXPECT_EQ(checked("identity.name", "NVIDIA \"X\"").text(), "NVIDIA \"X\"");
  const FieldValue absent = checked("power.draw_mw", {});
  EXPECT_FALSE(absent.has_value());
  EXPECT_TRUE(absent.unsupported());
  EXPECT_EQ(absent.number(), std::nullopt);
  EXPECT_EQ(checked("power.draw_mw", error_code("GPU_IS_LOST")).code(), 15U);
}

TEST(FieldValues, AListHasItsItemsAlone) {
  const auto fans = checked("thermal.fans", LiteralList{LiteralRecord{{"speed_percent", 30}}, LiteralRecord{}});
  EXPECT_EQ(fans.list_count(), 2U);
  EXPECT_NE(fans, checked("thermal.fans", LiteralList{LiteralRecord{{"speed_percent", 30}}}));
  EXPECT_EQ(checked("thermal.fans", {}).list_count(), 0U);
}

TEST(FieldValues, WhatDoesNotFitSaysWhy) {
  EXPECT_EQ(flaw("power.draw_mw", std::uint64_t{1} << 40),
            "'1099511627776' is out of range; power.draw_mw takes 0 to 4294967295");
  EXPECT_EQ(flaw("power.draw_mw", -1), "'-1' is out of range; power.draw_mw takes 0 to 4294967295");
  EXPECT_EQ(flaw("modes.persistence", Label{"enabld"}),
            "'enabld' is none of the labels of modes.persistence; did you mean 'enabled'?");
  EXPECT_EQ(flaw("identity.name", std::string("a\0b", 3)), "a NUL byte in identity.name; it takes UTF-8 in one line");
  EXPECT_EQ(flaw("thermal.fans", LiteralList{LiteralRecord{{"sped", 1}}}).substr(0, 35),
            "thermal.fans[0] has no field 'sped'");
  EXPECT_EQ(flaw("thermal.fans", 3), "thermal.fans takes a list of mappings");
  EXPECT_EQ(flaw("power.drow", 3).substr(0, 25), "power has no field 'drow'");
}

TEST(Printing, AsPeopleWriteIt) {
  EXPECT_EQ(print_value("pci.device_id", checked("pci.device_id", 0x233010DE)), "0x233010DE");
  EXPECT_EQ(print_value("memory.total_bytes", checked("memory.total_bytes", 3 << 20)), "3 MiB");
  EXPECT_EQ(print_value("memory.total_bytes", checked("memory.total_bytes", (3 << 20) + 1)), "3145729");
  EXPECT_EQ(print_value("power.draw_mw", checked("power.draw_mw", {})), "null");
  EXPECT_EQ(print_value("power.draw_mw", checked("power.draw_mw", error_code("TIMEOUT"))), "{answer: TIMEOUT}");
}

TEST(Printing, RunsAndRepeats) {
  const std::vector<std::uint64_t> clocks{1980, 1965, 1950, 1935, 300, 210};
  EXPECT_EQ(print_value("clocks.supported",
                        checked("clocks.supported",
                                LiteralList{LiteralRecord{{"memory_mhz", 2619}, {"graphics_mhz", clocks}}})),
            "[{memory_mhz: 2619, graphics_mhz: [{from: 1980, to: 1935, step: 15}, 300, 210]}]");
  const LiteralRecord link{{"active", Label{"active"}}};
  EXPECT_EQ(
      print_value("nvlink.links", checked("nvlink.links", LiteralList{link, link, LiteralRecord{{"version", 4}}})),
      "[{repeat: 2, active: active}, {version: 4}]");
}

// Brackets inside a text are the text's.
TEST(Printing, TextsStayAsTheyAre) {
  const LiteralRecord process{{"pid", 7}, {"name", "x [1, 2, 3, 4, 5] {y}"}};
  EXPECT_EQ(print_value("processes.running", checked("processes.running", LiteralList{process})),
            "[{pid: 7, name: \"x [1, 2, 3, 4, 5] {y}\"}]");
}

TEST(Evidence, TheFirstOfTwoStandsAndTheOtherIsNoted) {
  Evidence evidence;
  evidence.gpus.push_back({.who = "GPU 0", .address = ""});
  Subject& gpu = evidence.gpus.front();
  const auto first = evidence.add_source({.id = "capture", .kind = "capture", .file = "a.xml"});
  const auto second = evidence.add_source({.id = "capture", .kind = "capture", .file = "b.xml"});
  EXPECT_EQ(evidence.sources[second].id, "capture2");
  EXPECT_EQ(evidence.add_source({.id = "other", .kind = "capture", .file = "a.xml"}), first);
  const auto at = [](const char* file) { return yaml::Place{std::make_shared<const std::string>(file), 3, 1}; };
  evidence.observe(gpu, "power.max_limit_mw", error_code("NO_PERMISSION"), {first, at("a.xml")});
  evidence.observe(gpu, "power.max_limit_mw", 300000, {second, at("b.xml")});
  EXPECT_EQ(gpu.value("power.max_limit_mw")->number(), 300000U) << "an input with fewer rights could not say";
  evidence.observe(gpu, "power.max_limit_mw", 350000, {first, at("a.xml")});
  ASSERT_EQ(evidence.notes.size(), 1U);
  EXPECT_EQ(evidence.notes.front(),
            "power.max_limit_mw of GPU 0: b.xml:3 says 300000, but a.xml:3 says 350000; the first one stands");
}

}  // namespace
}  // namespace nvmlab::importer
