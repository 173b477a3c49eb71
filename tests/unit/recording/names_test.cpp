// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "import/recording/generated/enumerators.hpp"
#include "import/recording/recording.hpp"

namespace nvmlab::recording {
namespace {

TEST(RecordingNames, AreFoundByBisection) {
  for (const Enumerator& each : kEnumerators)
    EXPECT_EQ(enumerator(each.name), each.value) << each.name;
  EXPECT_FALSE(enumerator("NVML_NO_SUCH_THING"));
  EXPECT_FALSE(enumerator(""));
  EXPECT_FALSE(enumerator("~"));
}

TEST(RecordingNames, CoverEnumsFieldsAndGroupsOfMacros) {
  EXPECT_EQ(enumerator("NVML_CLOCK_SM"), 1);
  EXPECT_EQ(enumerator("NVML_FI_DEV_ECC_CURRENT"), 1);
  EXPECT_EQ(enumerator("NVML_GPU_INSTANCE_PROFILE_1_SLICE"), 0);
  EXPECT_EQ(enumerator("NVML_GPM_METRIC_SM_UTIL"), 2);
}

TEST(RecordingNames, CodesAreNamesWithoutPrefixOrNumbers) {
  EXPECT_EQ(return_code("SUCCESS"), 0);
  EXPECT_EQ(return_code("NOT_SUPPORTED"), 3);
  EXPECT_EQ(return_code("UNKNOWN"), 999);
  EXPECT_EQ(return_code("77"), 77);
  EXPECT_FALSE(return_code("NOTHING"));
  EXPECT_FALSE(return_code("7x"));
  EXPECT_FALSE(return_code(""));
}

TEST(RecordingNames, AnIntegerIsANumberOrAName) {
  EXPECT_EQ(integer(nlohmann::json(7)), 7);
  EXPECT_EQ(integer(nlohmann::json(-7)), -7);
  EXPECT_EQ(integer(nlohmann::json("NVML_CLOCK_MEM")), 2);
  EXPECT_FALSE(integer(nlohmann::json("x")));
  EXPECT_FALSE(integer(nlohmann::json(1.5)));
}

}  // namespace
}  // namespace nvmlab::recording
