// SPDX-License-Identifier: Apache-2.0
// The unit test of examples/cookbook/power_cap.hpp, as its author would write it.
#include "examples/cookbook/power_cap.hpp"

#include <gtest/gtest.h>

#include "nvmlab/testing/node.hpp"

namespace {

using nvml::Milliwatts;
using nvml::testing::Node;

class PowerCapTest : public testing::Test {
 protected:
  unsigned limit(unsigned gpu) { return library.device(gpu)->power_management_limit()->count() / 1000; }

  Node node{"dgx-h100", {.gpus = 3, .role = nvml::testing::Role::administrator}};
  nvml::Library library = node.open().value();
};

TEST_F(PowerCapTest, WhoWorksGetsMore) {
  node.gpu(1).load(nvmlab::LoadKind::training);
  node.advance(std::chrono::minutes(10));
  PowerCap cap(library, Milliwatts{1500'000});
  EXPECT_TRUE(cap.share_out().empty());
  EXPECT_GT(limit(1), 600U);
  EXPECT_LT(limit(0), 500U);
  EXPECT_LE(limit(0) + limit(1) + limit(2), 1500U);
}

TEST_F(PowerCapTest, NobodyGetsLessThanTheBoardNeeds) {
  PowerCap cap(library, Milliwatts{100'000});
  EXPECT_TRUE(cap.share_out().empty());
  for (unsigned gpu = 0; gpu < 3; ++gpu)
    EXPECT_EQ(limit(gpu), 200U);
}

TEST_F(PowerCapTest, ALostGpuIsToldAndTheOthersGoOn) {
  node.gpu(0).fault(nvmlab::FaultKind::lost);
  PowerCap cap(library, Milliwatts{1400'000});
  const auto problems = cap.share_out();
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems[0].find("GPU is lost"), std::string::npos) << problems[0];
  EXPECT_GT(limit(1), 600U);
  EXPECT_GT(limit(2), 600U);
}

TEST_F(PowerCapTest, RefusedSettersAreTold) {
  Node of_user{"dgx-h100", {.gpus = 2, .role = nvml::testing::Role::user}};
  PowerCap cap(of_user.open().value(), Milliwatts{800'000});
  EXPECT_EQ(cap.share_out().size(), 2U);
}

TEST_F(PowerCapTest, RestoresTheBoardsLimits) {
  PowerCap cap(library, Milliwatts{700'000});
  EXPECT_TRUE(cap.share_out().empty());
  EXPECT_LT(limit(0), 400U);
  cap.restore();
  EXPECT_EQ(limit(0), 700U);
}

}  // namespace
