// SPDX-License-Identifier: Apache-2.0
//
// Stable paths: the same thing has the same path however often it occurs, and no two leaves of a GPU share one.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include <fmt/format.h>

#include "import/capture/capture.hpp"

namespace nvmlab::capture {
namespace {

Capture gpu_with(std::string_view inner) {
  auto capture = read_capture(fmt::format("<nvidia_smi_log><gpu id=\"x\">{}</gpu></nvidia_smi_log>", inner), "x.xml");
  if (!capture) ADD_FAILURE() << capture.error().text();
  return capture.value_or(Capture{});
}

std::set<std::string> paths(const Capture& capture) {
  std::set<std::string> result;
  for (const auto& leaf : capture.leaves)
    EXPECT_TRUE(result.insert(leaf.path).second) << "twice: " << leaf.path;
  return result;
}

TEST(CapturePaths, OneProcessHasTheSamePathAsTheFirstOfTwo) {
  const std::string process = "<process_info><pid>1</pid></process_info>";
  const auto one = gpu_with("<processes>" + process + "</processes>");
  const auto two = gpu_with("<processes>" + process + process + "</processes>");
  EXPECT_NE(one.find(0, "processes/process_info[0]/pid"), nullptr);
  EXPECT_NE(two.find(0, "processes/process_info[0]/pid"), nullptr);
  EXPECT_NE(two.find(0, "processes/process_info[1]/pid"), nullptr);
}

TEST(CapturePaths, MemoryClocksAreKeyedByTheirValue) {
  const auto capture = gpu_with(
      "<supported_clocks>"
      "<supported_mem_clock><value>2619 MHz</value><supported_graphics_clock>1980 MHz</supported_graphics_clock>"
      "<supported_graphics_clock>1965 MHz</supported_graphics_clock></supported_mem_clock>"
      "<supported_mem_clock><value>1593 MHz</value><supported_graphics_clock>1980 MHz</supported_graphics_clock>"
      "</supported_mem_clock></supported_clocks>");
  const auto found = paths(capture);
  EXPECT_TRUE(found.contains("supported_clocks/supported_mem_clock[2619 MHz]/value"));
  EXPECT_TRUE(found.contains("supported_clocks/supported_mem_clock[2619 MHz]/supported_graphics_clock[1]"));
  EXPECT_TRUE(found.contains("supported_clocks/supported_mem_clock[1593 MHz]/supported_graphics_clock[0]"));
}

TEST(CapturePaths, TheSameKeyTwiceStaysApart) {
  const auto capture = gpu_with(
      "<supported_clocks><supported_mem_clock><value>1</value></supported_mem_clock>"
      "<supported_mem_clock><value>1</value></supported_mem_clock></supported_clocks>");
  EXPECT_EQ(paths(capture).size(), 3U);  // with @id
}

TEST(CapturePaths, UnknownRepetitionGetsAnIndexToo) {
  const auto capture = gpu_with("<new_list><thing>a</thing><other>b</other><thing>c</thing></new_list>");
  EXPECT_NE(capture.find(0, "new_list/thing[0]"), nullptr);
  EXPECT_NE(capture.find(0, "new_list/other"), nullptr);
  EXPECT_EQ(capture.find(0, "new_list/thing[1]")->value, "c");
}

TEST(CapturePaths, AttributesAreLeaves) {
  const auto capture = gpu_with("<thing unit=\"W\">5</thing>");
  EXPECT_EQ(capture.find(0, "thing")->value, "5");
  EXPECT_EQ(capture.find(0, "thing/@unit")->value, "W");
}

}  // namespace
}  // namespace nvmlab::capture
