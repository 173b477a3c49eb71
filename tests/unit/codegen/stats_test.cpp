// SPDX-License-Identifier: Apache-2.0
// The numbers that stats prints, against those measured independently (facts/nvml-api.md, 2.1 and 3).
#include "codegen/report/stats.hpp"

#include <gtest/gtest.h>

#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

TEST(Stats, OfOneRelease) {
  const Drivers drivers = load_drivers(test::source_folder() / "model" / "facts" / "drivers.json").value();
  const std::string text = stats_of(view(test::committed_registry(), "13.3.29").value(), drivers);
  for (const char* part :
       {"413: 390 visible by default, 23 only with", "29 deprecated",
        "50 names end in _vN, 30 families have more than one version, 14 have no plain name", " none 53",
        " nvmlDevice_t 285", " nvmlVgpuInstance_t 26", " nvmlGpuInstance_t 21", " nvmlVgpuTypeId_t 14", " nvmlUnit_t 7",
        "155: 67 begin with a version, 65 have a version word; 4 unions", "305 field ids",
        "driver 555.58.02  exports 354 names: 351 of this header's, 3 others; 62 of this header are missing"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n--- in ---\n" << text;
  }
}

TEST(Stats, OfAllReleases) {
  const std::string text = stats_of_all(test::committed_registry());
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, '\n')), test::committed_registry().releases.size() + 1);
  EXPECT_NE(text.find("11.0             234                   39"), std::string::npos) << text;
  EXPECT_NE(text.find("12.1.105         305     0     3"), std::string::npos) << text;
}

}  // namespace
}  // namespace nvmlab::codegen
