// SPDX-License-Identifier: Apache-2.0
//
// Machines and imported captures as sides: what they tell, and what they only have from elsewhere.
#include "compare/fields.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "compare/compare.hpp"

namespace nvmlab::compare {
namespace {

const Statement* find(const SideSubject& subject, std::string_view name) {
  const auto found = std::ranges::find(subject.statements, name, &Statement::name);
  return found == subject.statements.end() ? nullptr : &*found;
}

// So that a test which could not make its side fails and does not crash.
Side side_of_one() {
  Side side;
  side.gpus.resize(1);
  return side;
}

// Captured on a made-up board of the Hopper generation.
Side captured(const std::string& more) {
  const importer::Input input{
      "in.xml",
      "<nvidia_smi_log>\n<driver_version>550.90.07</driver_version>\n<gpu id=\"00000000:01:00.0\">\n"
      "<product_name>NVIDIA X100</product_name>\n<product_architecture>Hopper</product_architecture>\n"
      "<uuid>GPU-5d8e2101-93c7-4b1f-a6e2-71c94fd3b852</uuid>\n" +
          more + "</gpu>\n</nvidia_smi_log>\n"};
  auto side = fields_of({&input, 1});
  if (!side) ADD_FAILURE() << side.error().front();
  return side.value_or(side_of_one());
}

Side profile(const std::string& body) {
  const auto machine = compiler::compile_text(
      "profile: p\ninherits: hopper\nsources:\n  us: {kind: assumed, why: test}\n"
      "source: us\nsystem: {driver_version: 550.90.07}\n" +
          body,
      "p.yaml", "p");
  if (!machine) ADD_FAILURE() << compiler::describe(machine.error());
  if (!machine) return side_of_one();
  return fields_of(*machine);
}

TEST(Fields, ACaptureTellsWhatItShows) {
  const Side side = captured(
      "<temperature><gpu_temp>41 C</gpu_temp></temperature>\n<fan_speed>N/A</fan_speed>\n"
      "<serial>N/A</serial>\n");
  ASSERT_EQ(side.gpus.size(), 1u);
  const SideSubject& gpu = side.gpus.front();
  EXPECT_EQ(side.what, "1 x NVIDIA X100, driver 550.90.07");
  const Statement* temperature = find(gpu, "thermal.gpu_c");
  ASSERT_NE(temperature, nullptr);
  EXPECT_TRUE(temperature->observed);
  EXPECT_EQ(temperature->text, "41");
  EXPECT_EQ(temperature->unit, "C");
  EXPECT_EQ(temperature->shape, StatementShape::number);
  EXPECT_EQ(temperature->nature, Nature::live);
  EXPECT_EQ(temperature->origin, "capture");
  EXPECT_TRUE(find(gpu, "identity.serial")->observed);
  EXPECT_TRUE(find(gpu, "identity.serial")->code);
  EXPECT_EQ(gpu.uuid, "GPU-5d8e2101-93c7-4b1f-a6e2-71c94fd3b852");
  EXPECT_EQ(gpu.address, "0:1:0");
}

TEST(Fields, WhatACaptureInheritsIsAssumed) {
  const SideSubject gpu = captured("").gpus.front();
  const bool inherits = std::ranges::any_of(
      gpu.statements, [](const Statement& s) { return !s.observed && !s.code && s.shape != StatementShape::list; });
  EXPECT_TRUE(inherits) << "the family says more than the capture";
  EXPECT_FALSE(find(gpu, "power.limit_mw")->observed);
  EXPECT_FALSE(find(gpu, "identity.minor_number")->observed) << "derived";
}

TEST(Fields, AProfileTellsAllThatItStatesAndIsSilentElsewhere) {
  const Side side = profile("identity: {name: X}\npower: {limit_mw: 5, draw_mw: null}\n");
  const SideSubject& gpu = side.gpus.front();
  EXPECT_TRUE(find(gpu, "power.limit_mw")->observed);
  EXPECT_EQ(find(gpu, "power.limit_mw")->origin, "assumed");
  EXPECT_TRUE(find(gpu, "power.draw_mw")->code);
  EXPECT_FALSE(find(gpu, "power.draw_mw")->silent) << "it was said";
  EXPECT_TRUE(find(gpu, "power.module_limit_mw")->silent);
  EXPECT_EQ(gpu.uuid, "") << "derived ones are not real";
}

TEST(Fields, ListsAndTheirPartsAreOneStatement) {
  const Side side = profile("identity: {name: X}\nclocks: {supported: [{memory_mhz: 9, graphics_mhz: [3, 2]}]}\n");
  const Statement* clocks = find(side.gpus.front(), "clocks.supported");
  ASSERT_NE(clocks, nullptr);
  EXPECT_EQ(clocks->shape, StatementShape::list);
  EXPECT_EQ(clocks->count, 1u);
  ASSERT_EQ(clocks->parts.size(), 3u);
  EXPECT_EQ(clocks->parts[0].name, "[0].memory_mhz");
  EXPECT_EQ(clocks->parts[2].name, "[0].graphics_mhz[1]");
  EXPECT_EQ(clocks->parts[2].text, "2");
}

TEST(Fields, AProfileAgainstACapture) {
  const Side side = profile("identity: {name: NVIDIA X100}\npower: {limit_mw: 700000, min_limit_mw: null}\n");
  const Side capture = captured(
      "<gpu_power_readings><requested_power_limit>600.00 W</requested_power_limit>"
      "<min_power_limit>N/A</min_power_limit><max_power_limit>700.00 W</max_power_limit></gpu_power_readings>");
  const Report report = compare(side, capture);
  const auto class_at = [&](std::string_view name) {
    const auto row = std::ranges::find(report.rows, name, [](const Row& each) { return each.any().name; });
    return row == report.rows.end() ? "no row" : std::string(name_of(row->which));
  };
  EXPECT_EQ(class_at("power.limit_mw"), "value");
  EXPECT_EQ(class_at("power.min_limit_mw"), "equal");
  EXPECT_EQ(class_at("power.max_limit_mw"), "code");
  EXPECT_EQ(class_at("identity.name"), "equal");
}

TEST(Fields, DamagedCapturesAreRefusedWithTheirLine) {
  const importer::Input input{"in.xml", "<nvidia_smi_log>\n<gpu>\n"};
  const auto side = fields_of({&input, 1});
  ASSERT_FALSE(side);
  EXPECT_TRUE(side.error().front().starts_with("in.xml:")) << side.error().front();
}

}  // namespace
}  // namespace nvmlab::compare
