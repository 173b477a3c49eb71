// SPDX-License-Identifier: Apache-2.0
#include "engine/store/driver_version.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

namespace nvmlab {
namespace {

std::string found(const char* wanted) {
  DriverVersion version{};
  if (!find_driver_version(wanted, &version)) return "none";
  EXPECT_EQ(version.length, std::strlen(version.text));
  return std::string(version.text) + " " + std::to_string(version.cuda);
}

TEST(DriverVersions, BranchesAndVersions) {
  const struct {
    const char* wanted;
    const char* version;
  } cases[] = {
      {"470", "470.256.02 11040"},
      {"525", "525.147.05 12000"},
      {"535", "535.261.03 12020"},
      {"550", "550.163.01 12040"},
      {"555", "555.58.02 12050"},
      {"570", "570.148.08 12080"},
      {"580", "580.105.08 13000"},
      {"595", "595.91.07 13020"},
      {"340", "340.108 6050"},
      {"535.161.08", "535.161.08 12020"},
      {"340.96", "340.96 6050"},
      {"536.40", "536.40 12020"},  // a branch between known ones behaves as the one before it
      {"610", "610.57.04 13030"},
      {"615", "615.71.09 13040"},
      {"999.1", "999.1 13050"},
  };
  for (const auto& one : cases)
    EXPECT_EQ(found(one.wanted), one.version) << one.wanted;
}

TEST(DriverVersions, WhatIsNone) {
  for (const char* wanted : {"", ".", "535.", ".535", "535..1", "535.1.2.3", "5350", "535.1234", "five", "535x", " 535",
                             "-535", "300", "300.1", "536", "620", "99999999999999999999", "535.161.08\n"}) {
    EXPECT_EQ(found(wanted), "none") << wanted;
  }
}

const DriverRelease& release(const char* version) { return driver_release(driver_row(version)); }

TEST(DriverVersions, RowsBeginWithTheirFirstRelease) {
  EXPECT_STREQ(release("535.86.10").library, "535.43");
  EXPECT_TRUE(release("535.54.03").wide_process_entries);
  EXPECT_STREQ(release("535.154.05").library, "535.98") << "before errors in SRAM are told by their parts";
  EXPECT_STREQ(release("535.161.07").library, "535");
  EXPECT_FALSE(release("535.104.05").wide_process_entries) << "104 is a number, not a text";
  EXPECT_STREQ(release("580.65.06").library, "580.65");
  EXPECT_STREQ(release("580.82.07").library, "580");
  EXPECT_STREQ(release("536.40").library, "535");
  EXPECT_EQ(release("555.58.02").table_words, 255);
  EXPECT_EQ(release("470.57.02").table_words, 213);
  EXPECT_EQ(release("515.105.01").gpm_metric_max, 0) << "before GPM";
  EXPECT_EQ(release("525.147.05").gpm_metric_max, 98);
  EXPECT_EQ(release("300.1").major, 340) << "older than all";
  EXPECT_EQ(driver_row(""), driver_row("999.0")) << "no version: the newest";
}

TEST(DriverVersions, FirmwareFollowsWhereItWentWithTheDriver) {
  auto node = std::make_unique<Node>();
  auto gpus = std::make_unique<Gpu[]>(3);
  node->system.driver_version.set("550.163.01", 10);
  node->system.driver_branch.set("r550_00", 7);
  gpus[0].identity.gsp_version.set("550.163.01", 10);
  gpus[1].identity.gsp_version.set("custom", 6);
  DriverVersion version{};
  ASSERT_TRUE(find_driver_version("535.161.08", &version));
  set_driver_version(version, node.get(), gpus.get(), 3);
  EXPECT_STREQ(node->system.driver_version.data, "535.161.08");
  EXPECT_STREQ(node->system.driver_branch.data, "r535_00");
  EXPECT_EQ(node->system.cuda_version.value_or(0), 12020u);
  EXPECT_STREQ(gpus[0].identity.gsp_version.data, "535.161.08");
  EXPECT_STREQ(gpus[1].identity.gsp_version.data, "custom");
  EXPECT_FALSE(gpus[2].identity.gsp_version.has_value());
}

// What a profile alone says to be deprecated is so on its own driver and on newer ones.
TEST(DriverVersions, DeprecationIsForgottenByOlderDrivers) {
  for (const auto& [wanted, code] : {std::pair{"470", kNotSupported}, std::pair{"575", 26u}, std::pair{"580", 26u}}) {
    const auto node = std::make_unique<Node>();
    node->system.driver_version.set("575.64.05", 9);
    const auto gpus = std::make_unique<Gpu[]>(1);
    gpus[0].modes.display_mode.set_error(26);
    gpus[0].power.state.set_error(15);
    gpus[0].clocks.application_graphics_mhz.set(1590);
    DriverVersion version{};
    ASSERT_TRUE(find_driver_version(wanted, &version));
    set_driver_version(version, node.get(), gpus.get(), 1);
    EXPECT_EQ(gpus[0].modes.display_mode.code(), code) << wanted;
    EXPECT_EQ(gpus[0].power.state.code(), 15u);
    EXPECT_EQ(gpus[0].clocks.application_graphics_mhz.value_or(0), 1590u);
  }
}

TEST(DriverVersions, OldDriversWriteNamesWithoutThePrefix) {
  const auto name_on = [](const char* driver, const std::string& name) {
    auto node = std::make_unique<Node>();
    auto gpu = std::make_unique<Gpu>();
    gpu->identity.name.set(name.c_str(), static_cast<std::uint32_t>(name.size()));
    DriverVersion version{};
    EXPECT_TRUE(find_driver_version(driver, &version)) << driver;
    set_driver_version(version, node.get(), gpu.get(), 1);
    EXPECT_EQ(gpu->identity.name.length, std::strlen(gpu->identity.name.data));
    return std::string(gpu->identity.name.data);
  };
  EXPECT_EQ(name_on("460", "NVIDIA A100-SXM4-40GB"), "A100-SXM4-40GB");
  EXPECT_EQ(name_on("470", "NVIDIA A100-SXM4-40GB"), "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(name_on("450.80.02", "Tesla T4"), "Tesla T4");
  EXPECT_EQ(name_on("550", "Tesla T4"), "Tesla T4") << "a name of old keeps its brand";
}

}  // namespace
}  // namespace nvmlab
