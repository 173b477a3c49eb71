// SPDX-License-Identifier: Apache-2.0
#include "codegen/model/family.hpp"

#include <gtest/gtest.h>

#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

TEST(Family, SplitsNames) {
  EXPECT_EQ(family_of("nvmlInit_v2").base, "nvmlInit");
  EXPECT_EQ(family_of("nvmlInit_v2").version, 2U);
  EXPECT_TRUE(family_of("nvmlInit_v2").suffixed);
  EXPECT_EQ(family_of("nvmlInit").version, 1U);
  EXPECT_FALSE(family_of("nvmlInit").suffixed);
  EXPECT_EQ(family_of("nvmlDeviceGetFoo_v12").version, 12U);
  for (const char* plain : {"nvmlX_version", "nvmlX_v", "nvmlX_v2a", "nvmlX_v0", "nvmlDeviceGetTemperatureV"}) {
    EXPECT_FALSE(family_of(plain).suffixed) << plain;
    EXPECT_EQ(family_of(plain).base, plain);
  }
}

TEST(Family, GathersMembersByVersion) {
  const Release release = test::extracted(test::sample_header);
  const auto versions = members(release, "nvmlInit");
  ASSERT_EQ(versions.size(), 2U);
  EXPECT_EQ(versions[0]->name, "nvmlInit");
  EXPECT_EQ(versions[1]->name, "nvmlInit_v2");
}

TEST(Family, PlainNamesMeanWhatTheHeaderSays) {
  const Release release = test::extracted(test::sample_header);
  EXPECT_EQ(meaning_in_c(release, "nvmlInit"), "nvmlInit_v2");
  EXPECT_EQ(meaning_in_c(release, "nvmlDeviceGetName"), "nvmlDeviceGetName");
}

}  // namespace
}  // namespace nvmlab::codegen
