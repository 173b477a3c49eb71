// SPDX-License-Identifier: Apache-2.0
// Which simulated drivers have a function, held against the symbol tables of real ones: every symbol of every driver.
#include "codegen/model/presence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "codegen/emit/exports.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen::test {
namespace {

const Inputs& inputs() {
  static const auto loaded = load_inputs(source_folder());
  EXPECT_TRUE(loaded) << loaded.error().text();
  return *loaded;
}

bool present(const std::string& function, std::string_view driver) {
  return (presence(inputs(), function) >> driver_row(inputs().releases, driver) & 1) != 0;
}

TEST(PresenceTable, AgreesWithEverySymbolOfEveryRealDriver) {
  unsigned compared = 0;
  for (const auto& [symbol, exporters] : inputs().drivers.symbols) {
    for (const std::string& driver : inputs().drivers.versions) {
      const bool exported = std::ranges::find(exporters, driver) != exporters.end();
      EXPECT_EQ(present(symbol, driver), exported) << symbol << " of " << driver;
      ++compared;
    }
  }
  EXPECT_GE(compared, 3'500U);
}

// Functions that no known driver exports are in those whose header declares them.
TEST(PresenceTable, FunctionsOfHeadersAreInTheirDrivers) {
  unsigned newer = 0;
  for (const Function& function : inputs().newest.functions) {
    if (inputs().drivers.symbols.contains(function.name)) continue;
    ++newer;
    EXPECT_FALSE(present(function.name, "555.58.02")) << function.name;
    EXPECT_TRUE(present(function.name, "999.0")) << function.name;
  }
  EXPECT_GE(newer, 60U);
  EXPECT_FALSE(present("nvmlDeviceGetHostname_v1", "580.65.06"));
  EXPECT_TRUE(present("nvmlDeviceGetHostname_v1", "580.82.07")) << "13.0.87 has it, 13.0.39 has not";
  EXPECT_FALSE(present("nvmlSystemGetCPER_v1", "595.91.07"));
  EXPECT_TRUE(present("nvmlSystemGetCPER_v1", "610.43.02"));
}

TEST(PresenceTable, FollowsTheHistoryThatIsKnown) {
  EXPECT_TRUE(present("nvmlInit", "340.108"));
  EXPECT_TRUE(present("nvmlDeviceCcuGetStreamState", "525.60"));
  EXPECT_FALSE(present("nvmlDeviceCcuGetStreamState", "535.98")) << "gone after 525";
  // By what nvidia-smi of these prints in captures.
  EXPECT_FALSE(present("nvmlDeviceGetSramEccErrorStatus", "535.154.05"));
  EXPECT_TRUE(present("nvmlDeviceGetSramEccErrorStatus", "535.161.08"));
  EXPECT_FALSE(present("nvmlDeviceGetLastBBXFlushTime", "535.86.05"));
  EXPECT_TRUE(present("nvmlDeviceGetLastBBXFlushTime", "535.154.05"));
  EXPECT_FALSE(present("nvmlRetry_NvRmControl", "450.248.02"));
  EXPECT_TRUE(present("nvmlRetry_NvRmControl", "460.106.00"));
  EXPECT_FALSE(present("nvmlRetry_NvRmControl", "535.261.03"));
  EXPECT_FALSE(present("nvmlDeviceGetMigMode", "440.118.02"));
  EXPECT_TRUE(present("nvmlDeviceGetHostVgpuMode", "440.64")) << "captures of it show the mode";
  EXPECT_TRUE(present("nvmlDeviceGetFBCStats", "410.48")) << "captures of it show statistics";
  EXPECT_TRUE(present("nvmlDeviceGetPciInfo_v3", "384.81"));
  EXPECT_TRUE(present("nvmlDeviceGetGraphicsRunningProcesses", "375.66"));
  EXPECT_FALSE(present("nvmlDeviceGetPciInfo_v3", "346.46")) << "nothing is known of it, and 340 is nearer";
  EXPECT_FALSE(present("nvmlDeviceGetFBCStats", "384.81"));
  EXPECT_TRUE(present("nvmlDeviceGetMigMode", "450.248.02"));
  EXPECT_TRUE(present("nvmlGetBlacklistDeviceCount", "610.43.02")) << "no header has had it since 11.3, drivers do";
}

// By what nvitop tells the drivers with wide process entries from the others.
TEST(PresenceTable, TheWideDriversCanBeTold) {
  for (const DriverRelease& release : inputs().releases) {
    const bool wide = present("nvmlDeviceGetConfComputeMemSizeInfo", release.from) &&
                      !present("nvmlDeviceGetRunningProcessDetailList", release.from);
    EXPECT_EQ(wide, release.from == "535.43") << release.from;
  }
}

TEST(PresenceTable, EveryExportIsInSomeDriver) {
  for (const std::string& name : exported_functions(inputs()))
    EXPECT_NE(presence(inputs(), name), 0U) << name;
}

TEST(PresenceTable, InWords) {
  const auto text = [](const char* name) { return presence_text(inputs(), presence(inputs(), name)); };
  EXPECT_EQ(text("nvmlInit"), "340 on");
  EXPECT_EQ(text("nvmlDeviceCcuGetStreamState"), "525 to 530");
  EXPECT_EQ(text("nvmlSystemGetCPER_v1"), "610 on");
  EXPECT_EQ(text("nvmlNothing"), "none");
}

}  // namespace
}  // namespace nvmlab::codegen::test
