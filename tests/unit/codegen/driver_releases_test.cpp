// SPDX-License-Identifier: Apache-2.0
// model/drivers.yaml: what is read, what is refused, and where the exports of a driver that nobody measured come from.
#include "codegen/model/driver_releases.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen::test {
namespace {

Drivers three_drivers() {
  Drivers drivers;
  EXPECT_TRUE(set_driver(drivers, "500.10", {"nvmlInit", "nvmlUndeclared", "nvmlLeak"}));
  EXPECT_TRUE(set_driver(drivers, "520.10", {"nvmlInit", "nvmlUndeclared"}));
  return drivers;
}

Result<std::vector<DriverRelease>> parsed(const std::string& rows) {
  static const Drivers drivers = three_drivers();
  return parse_driver_releases("sources: {s: somewhere}\ndrivers:\n" + rows, "drivers.yaml", committed_registry(),
                               drivers);
}

const std::string first = "  - {from: '500', release: '500.10', cuda: '12.0', symbols: '500.10', source: s}\n";

std::string problem(const std::string& rows) {
  const auto releases = parsed(rows);
  return releases ? "none" : releases.error().text();
}

TEST(DriverReleases, RowsAndWhatTheyTakeFromTheRowBefore) {
  const auto releases = parsed(
      "  - {from: '500', release: '500.10', cuda: '12.0', symbols: '500.10', table_words: 20, source: s}\n"
      "  - {from: '510.50', release: '510.60', cuda: '12.1', header: '12.1.105', library: '510.5', source: s}\n"
      "  - {from: '530', cuda: '12.2', field_ids: [7, 8], source: s}\n");
  ASSERT_TRUE(releases) << releases.error().text();
  ASSERT_EQ(releases->size(), 3U);
  EXPECT_EQ((*releases)[0].library, "500");
  EXPECT_EQ((*releases)[0].source, "somewhere");
  EXPECT_EQ((*releases)[1].library, "510.5");
  EXPECT_EQ((*releases)[1].table_words, 20U);
  EXPECT_EQ((*releases)[2].library, "") << "no driver of the row is known";
  EXPECT_EQ((*releases)[2].field_ids, (std::vector<unsigned>{7, 8}));
}

TEST(DriverReleases, WhatIsRefusedAndWhere) {
  EXPECT_EQ(problem(first + "  - {from: '500', cuda: '12.0', source: s}\n"),
            "drivers.yaml:4:5: 500 does not come after 500");
  EXPECT_EQ(problem(first + "  - {from: '500.05', cuda: '12.0', source: s}\n"),
            "drivers.yaml:4:5: 500.10 belongs to this row, not to the one before");
  EXPECT_EQ(problem(first + "  - {from: '510', cuda: '12.0', header: '1.2', source: s}\n"),
            "drivers.yaml:4:41: 1.2 is no header release of model/facts/nvml.json");
  EXPECT_EQ(problem(first + "  - {from: '510', symbols: '510.1', cuda: '12.0', source: s}\n"),
            "drivers.yaml:4:28: 510.1 is no driver of model/facts/drivers.json");
  EXPECT_EQ(problem(first + "  - {from: '510', source: s}\n"), "drivers.yaml:4:5: 'cuda' is missing");
  EXPECT_EQ(problem(first + "  - {from: '510', cuda: '12.0', source: hearsay}\n"),
            "drivers.yaml:4:41: 'hearsay' is not one of the sources above");
  EXPECT_EQ(problem(first + "  - {from: '510', cuda: new, source: s}\n"), "drivers.yaml:4:25: 'new' is no release");
  EXPECT_EQ(problem(first + "  - {from: '510', cuda: '12.0', field_ids: [x], source: s}\n"),
            "drivers.yaml:4:45: a whole number was expected");
  EXPECT_EQ(problem("  - {from: '510', cuda: '12.0', source: s}\n"),
            "drivers.yaml:3:3: the first driver has to be a measured one");
  EXPECT_NE(problem(first + "  - {from: '510', cuda: '12.0', colour: '1'}\n").find("'colour' is not one of from,"),
            std::string::npos);
  const std::string same = ", release: '510.60', cuda: '12.1', library: x, source: s}\n";
  EXPECT_EQ(problem(first + "  - {from: '510'" + same + "  - {from: '511', release: '511.1'" + same.substr(19)),
            "drivers.yaml:5:5: two rows have the library x");
}

TEST(DriverReleases, ExportsAreMeasuredOrFollowFromTheHeader) {
  const Drivers drivers = three_drivers();
  const auto releases = parsed(first +
                               "  - {from: '510', release: '510.1', cuda: '12.1', header: '12.1.105', source: s}\n"
                               "  - {from: '520', release: '520.10', cuda: '12.2', symbols: '520.10', source: s}\n"
                               "  - {from: '530', release: '530.1', cuda: '12.3', source: s}\n");
  ASSERT_TRUE(releases) << releases.error().text();
  const auto exports = [&](std::size_t row) { return exports_of(*releases, row, committed_registry(), drivers); };
  const auto has = [&](std::size_t row, const char* name) {
    return std::ranges::binary_search(exports(row), std::string(name));
  };
  EXPECT_EQ(exports(0), (std::vector<std::string>{"nvmlInit", "nvmlLeak", "nvmlUndeclared"}));
  EXPECT_TRUE(has(1, "nvmlDeviceGetTemperature")) << "its header declares it";
  EXPECT_FALSE(has(1, "nvmlDeviceGetModuleId")) << "declared later";
  EXPECT_TRUE(has(1, "nvmlUndeclared")) << "drivers on both sides export it";
  EXPECT_FALSE(has(1, "nvmlLeak")) << "gone in the next measured driver";
  EXPECT_EQ(exports(3), exports(2)) << "neither header nor newer driver: as the last measured one";
}

}  // namespace
}  // namespace nvmlab::codegen::test
