// SPDX-License-Identifier: Apache-2.0
// Which simulated drivers have a function, held against the symbol tables of real ones: every symbol of every driver.
#include "codegen/emit/presence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "codegen/emit/exports.hpp"
#include "support/support.hpp"

namespace nvmlab::codegen::test {
namespace {

const Inputs& inputs() {
  static const auto loaded = load_inputs(source_folder());
  EXPECT_TRUE(loaded) << loaded.error().text();
  return *loaded;
}

bool present(const std::string& function, unsigned driver) {
  const Presence span = presence(inputs(), function);
  return driver >= span.first && (span.last == 0 || driver <= span.last);
}

TEST(PresenceTable, AgreesWithEverySymbolOfEveryRealDriver) {
  unsigned compared = 0;
  for (const auto& [symbol, exporters] : inputs().drivers.symbols) {
    for (const std::string& driver : inputs().drivers.versions) {
      const bool exported = std::ranges::find(exporters, driver) != exporters.end();
      EXPECT_EQ(present(symbol, static_cast<unsigned>(std::atoi(driver.c_str()))), exported)
          << symbol << " of " << driver;
      ++compared;
    }
  }
  EXPECT_GE(compared, 3'500U);
}

// Functions that no known driver exports came later than the newest of them.
TEST(PresenceTable, FunctionsOfNewHeadersAreInNewDriversAlone) {
  unsigned newer = 0;
  for (const Function& function : inputs().newest.functions) {
    if (inputs().drivers.symbols.contains(function.name)) continue;
    ++newer;
    EXPECT_GT(presence(inputs(), function.name).first, 555U) << function.name;
    EXPECT_EQ(presence(inputs(), function.name).last, 0U) << function.name;
    EXPECT_FALSE(present(function.name, 555)) << function.name;
  }
  EXPECT_GE(newer, 60U);
}

TEST(PresenceTable, FollowsTheHistoryThatIsKnown) {
  EXPECT_EQ(presence(inputs(), "nvmlInit").first, 340U);
  EXPECT_TRUE(present("nvmlDeviceCcuGetStreamState", 525));
  EXPECT_FALSE(present("nvmlDeviceCcuGetStreamState", 535)) << "gone after 525";
  EXPECT_FALSE(present("nvmlRetry_NvRmControl", 450));
  EXPECT_TRUE(present("nvmlRetry_NvRmControl", 460));
  EXPECT_FALSE(present("nvmlRetry_NvRmControl", 535));
  EXPECT_FALSE(present("nvmlDeviceGetMigMode", 440));
  EXPECT_TRUE(present("nvmlDeviceGetMigMode", 450));
}

TEST(PresenceTable, EveryExportIsInSomeDriver) {
  for (const std::string& name : exported_functions(inputs())) {
    const Presence span = presence(inputs(), name);
    EXPECT_TRUE(span.last == 0 || span.first <= span.last) << name;
    EXPECT_TRUE(span.first > 0 || name == "nvmlInternalGetExportTable") << name;
  }
}

}  // namespace
}  // namespace nvmlab::codegen::test
