// SPDX-License-Identifier: Apache-2.0
// Nodes with drivers of the past, side by side: their versions, exports and answers.
#include <gtest/gtest.h>

#include <string>

#include "nvmlab/nvml.hpp"
#include "nvmlab/testing/node.hpp"

namespace nvml::testing {
namespace {

TEST(NodeDrivers, HaveTheirOwnExports) {
  const Node old{"dgx-a100", {.driver = "470"}};
  const Node young{"dgx-a100", {.driver = "580"}};
  const auto old_library = old.open();
  const auto young_library = young.open();
  ASSERT_TRUE(old_library) << old_library.error().message();
  ASSERT_TRUE(young_library) << young_library.error().message();
  EXPECT_TRUE(old_library->driver_version()->starts_with("470.")) << old_library->driver_version().value();
  EXPECT_TRUE(young_library->driver_version()->starts_with("580.")) << young_library->driver_version().value();
  EXPECT_FALSE(old_library->has<&Functions::nvmlDeviceGetTemperatureV>());
  EXPECT_TRUE(young_library->has<&Functions::nvmlDeviceGetTemperatureV>());
}

TEST(NodeDrivers, AreFoundByVersion) {
  const Node node{"dgx-a100", {.driver = "535.161.08"}};
  const auto library = node.open();
  ASSERT_TRUE(library) << library.error().message();
  EXPECT_EQ(library->driver_version().value(), "535.161.08");
  EXPECT_FALSE(library->has<&Functions::nvmlDeviceGetTemperatureV>());
}

}  // namespace
}  // namespace nvml::testing
