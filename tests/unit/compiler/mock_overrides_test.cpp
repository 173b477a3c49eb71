// SPDX-License-Identifier: Apache-2.0
#include "compiler/mock/overrides.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <fstream>

#include "base/temp_folder.hpp"
#include "compiler/mock/config.hpp"

namespace nvmlab::compiler {
namespace {

class MockOverridesTest : public testing::Test {
 protected:
  std::expected<MockReload, Problems> reload(const std::string& before, const std::string& after) const {
    return reload_mock_overrides(config, {}, {before, after, "o.yaml"});
  }
  std::vector<Change> changes(const std::string& before, const std::string& after) const {
    const auto made = reload(before, after);
    EXPECT_TRUE(made) << (made ? "" : describe(made.error()));
    return made ? made->changes : std::vector<Change>{};
  }
  std::string problem(const std::string& text) const {
    const auto made = reload("", text);
    return made ? "" : made.error().front().text();
  }

  void SetUp() override {
    std::ofstream(config) << "version: \"1.0\"\nsystem: {driver_version: 550.163.01, num_devices: 2}\n"
                             "device_defaults: {name: X, architecture: hopper, thermal: {temperature_gpu_c: 30}}\n";
  }

  TempFolder folder;
  std::string config = (folder.path() / "config.yaml").string();
};

TEST_F(MockOverridesTest, WhatDiffersIsPutAndComesBack) {
  const std::string hot =
      "version: 1\nall: {thermal: {temperature_gpu_c: 80}}\ndevices: {\"1\": {thermal: {temperature_gpu_c: 90}}}\n";
  const auto there = changes("", hot);
  ASSERT_FALSE(there.empty());
  bool first = false;
  bool second = false;
  for (const Change& change : there) {
    ASSERT_EQ(change.kind, kKindOf<PutBytes>);
    const auto put = body_of<PutBytes>(change);
    const auto at = static_cast<std::uint32_t>(offsetof(Gpu, thermal.gpu_c));
    if (at < put.offset || at + 8 > put.offset + put.size) continue;
    std::uint32_t celsius = 0;
    std::memcpy(&celsius, put.bytes + (at - put.offset), sizeof celsius);
    first |= change.target == 0 && celsius == 80;
    second |= change.target == 1 && celsius == 90;
  }
  EXPECT_TRUE(first && second);
  EXPECT_EQ(changes(hot, "").size(), there.size());
  EXPECT_TRUE(changes(hot, hot).empty());
}

TEST_F(MockOverridesTest, AFailureBeginsAndEnds) {
  const std::string lost = "all: {failure: {mode: lost, xid: {code: 79}}}\n";
  const auto begins = changes("", lost);
  ASSERT_EQ(begins.size(), 4U) << "an Xid and a fault for each of two GPUs";
  EXPECT_EQ(begins[1].kind, kKindOf<InjectFault>);
  const auto ends = changes(lost, "");
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(body_of<HealFault>(ends[0]).kind, FaultKind::lost);
  const std::string later = "devices: {\"0\": {failure: {mode: lost, after_calls: 5}}}\n";
  EXPECT_EQ(changes("", later).size(), 1U);
  EXPECT_EQ(changes(later, "").size(), 2U) << "it may have come, or not";
}

TEST_F(MockOverridesTest, CurvesAreChanged) {
  const auto made = changes("", "devices: {\"1\": {dynamic_metrics: {power: {base_mw: 300000}}}}\n");
  ASSERT_EQ(made.size(), 2U) << "the draw, which it did not have, and its curve";
  EXPECT_EQ(made[1].kind, kKindOf<SetMetricCurves>);
  EXPECT_EQ(made[1].target.gpu, 1U);
}

TEST_F(MockOverridesTest, WhatADeviceIsStays) {
  const auto made = reload("", "all: {name: Y, uuid: GPU-1}\n");
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->changes.empty());
  ASSERT_EQ(made->notes.size(), 2U);
  EXPECT_EQ(made->notes[0].text(), "o.yaml:1:7: 'name' stays as it was when the machine came up");
}

TEST_F(MockOverridesTest, AreRefusedWhereTheyAreWrong) {
  EXPECT_EQ(problem("alll: {}\n"), "o.yaml:1:1: 'alll' is unknown; 'version', 'all' and 'devices' would be right");
  EXPECT_EQ(problem("all: {thermal: {temperature_c: 80}}\n"),
            "o.yaml:1:6: 'thermal.temperature_c' is no key of a device");
  EXPECT_NE(problem("all: {thermal: {temperature_gpu_c: hot}}\n"), "");
  EXPECT_NE(problem("devices: {one: {}}\n"), "");
  EXPECT_NE(problem("version: new\n"), "");
  EXPECT_NE(problem("- 1\n"), "");
  EXPECT_EQ(problem(""), "");
}

}  // namespace
}  // namespace nvmlab::compiler
