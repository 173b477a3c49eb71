// SPDX-License-Identifier: Apache-2.0
//
// A capture as a side, leaf by leaf.
#include "compare/leaves.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "compare/compare.hpp"

namespace nvmlab::compare {
namespace {

constexpr auto kXml = capture::Format::xml;
constexpr auto kText = capture::Format::text;

Side leaves(const std::string& inside_gpu, const std::string& outside = "") {
  const auto capture =
      capture::read_capture("<nvidia_smi_log>\n<driver_version>550.90.07</driver_version>\n" + outside +
                                "<gpu id=\"00000000:0a:00.0\">\n<product_name>NVIDIA X100</product_name>\n" +
                                inside_gpu + "</gpu>\n</nvidia_smi_log>\n",
                            "in.xml");
  if (!capture) ADD_FAILURE() << capture.error().text();
  return capture ? leaves_of(*capture) : Side{};
}

const Statement* find(const SideSubject& subject, std::string_view name) {
  const auto found = std::ranges::find(subject.statements, name, &Statement::name);
  return found == subject.statements.end() ? nullptr : &*found;
}

TEST(Leaves, NatureIsThatOfTheFieldThatIsRead) {
  EXPECT_EQ(nature_of_leaf(kXml, "temperature/gpu_temp"), Nature::live);
  EXPECT_EQ(nature_of_leaf(kText, "Temperature/GPU Current Temp"), Nature::live);
  EXPECT_EQ(nature_of_leaf(kXml, "product_name"), Nature::steady);
  EXPECT_EQ(nature_of_leaf(kXml, "gpu_power_readings/requested_power_limit"), Nature::steady);
  EXPECT_EQ(nature_of_leaf(kXml, "serial"), Nature::identifier);
  EXPECT_EQ(nature_of_leaf(kText, "GPU UUID"), Nature::identifier);
  EXPECT_EQ(nature_of_leaf(kXml, "clocks_event_reasons/clocks_event_reason_gpu_idle"), Nature::live);
}

TEST(Leaves, NatureOfWhatIsNoFieldIsReviewed) {
  EXPECT_EQ(nature_of_leaf(kXml, "fb_memory_usage/used"), Nature::live);
  EXPECT_EQ(nature_of_leaf(kXml, "fb_memory_usage/total"), Nature::steady);
  EXPECT_EQ(nature_of_leaf(kText, "FB Memory Usage/Free"), Nature::live);
  EXPECT_EQ(nature_of_leaf(kXml, "board_id"), Nature::identifier);
  EXPECT_EQ(nature_of_leaf(kXml, "timestamp"), Nature::live);
}

TEST(Leaves, TextsThatStandForCodesAreCodes) {
  const Side side = leaves("<fan_speed>N/A</fan_speed><serial>12</serial>");
  ASSERT_EQ(side.gpus.size(), 1u);
  const Statement* fan = find(side.gpus[0], "fan_speed");
  ASSERT_NE(fan, nullptr);
  EXPECT_TRUE(fan->code);
  EXPECT_EQ(fan->text, "NOT_SUPPORTED");
  EXPECT_FALSE(find(side.gpus[0], "serial")->code);
  EXPECT_EQ(side.gpus[0].address, "00000000:0A:00.0");
  EXPECT_EQ(side.what, "1 x NVIDIA X100, driver 550.90.07");
}

TEST(Leaves, WhatRepeatsIsOneList) {
  const Side side = leaves(
      "<supported_clocks><supported_mem_clock><value>9 MHz</value>"
      "<supported_graphics_clock>3 MHz</supported_graphics_clock>"
      "<supported_graphics_clock>2 MHz</supported_graphics_clock></supported_mem_clock></supported_clocks>"
      "<processes><process_info><pid>7</pid><type>C</type></process_info></processes>");
  const Statement* clocks = find(side.gpus[0], "supported_clocks/supported_mem_clock[9 MHz]/supported_graphics_clock");
  ASSERT_NE(clocks, nullptr);
  EXPECT_EQ(clocks->count, 2u);
  EXPECT_EQ(clocks->nature, Nature::steady);
  const Statement* processes = find(side.gpus[0], "processes/process_info");
  ASSERT_NE(processes, nullptr);
  EXPECT_EQ(processes->count, 1u);
  EXPECT_EQ(processes->parts.size(), 2u);
  EXPECT_EQ(processes->nature, Nature::live);
}

TEST(Leaves, ProcessesThatComeAreNoiseAlsoWhereNothingRanBefore) {
  const Report report = compare(leaves("<processes></processes>"),
                                leaves("<processes><process_info><pid>7</pid></process_info></processes>"));
  EXPECT_EQ(report.count(Class::noise), 1u);
  EXPECT_EQ(report.count(Class::missing), 0u);
}

TEST(Leaves, RenamedOnesMeet) {
  const Report report = compare(
      leaves("<clocks_throttle_reasons><clocks_throttle_reason_gpu_idle>Active</clocks_throttle_reason_gpu_idle>"
             "</clocks_throttle_reasons>"),
      leaves("<clocks_event_reasons><clocks_event_reason_gpu_idle>Active</clocks_event_reason_gpu_idle>"
             "</clocks_event_reasons>"));
  EXPECT_EQ(report.count(Class::missing), 0u);
  EXPECT_EQ(report.count(Class::equal), report.rows.size());
}

}  // namespace
}  // namespace nvmlab::compare
