// SPDX-License-Identifier: Apache-2.0
//
// The views of nvidia-smi that read NVLink, samples and GPM: each release under a driver of its own branch.
#include <gtest/gtest.h>

#include <string>

#include "tests/clients/smi.hpp"

namespace nvmlab::test {
namespace {

Node hopper(const std::string& driver) {
  Node node = node_of(machines[0]);
  node.driver = driver;
  return node;
}

// 470 knows twelve links; a driver of its time has no more, so it does not stop at a thirteenth.
TEST(SmiNvlink, StatusShowsTheLinksThatTheDriverSees) {
  for (const auto& [release, driver, links] :
       {std::tuple{"nvidia-smi-470", "470", 12U}, std::tuple{"nvidia-smi-535", "535", 18U},
        std::tuple{"nvidia-smi-550", "550", 18U}}) {
    NVMLAB_REQUIRE_CLIENT(client, release);
    const auto outcome = smi(client, {"nvlink", "-s"}, hopper(driver));
    ASSERT_TRUE(went_well(outcome)) << release;
    EXPECT_EQ(count(outcome.out, ": 26.562 GB/s"), 8 * links) << outcome.out;
  }
}

TEST(SmiNvlink, CapabilitiesRemotesErrorsAndThroughput) {
  for (const auto& [release, driver] : {std::pair{"nvidia-smi-535", "535"}, std::pair{"nvidia-smi-550", "550"}}) {
    NVMLAB_REQUIRE_CLIENT(client, release);
    for (const char* option : {"-c", "-p", "-R", "-e", "-gLowPwrInfo"}) {
      const auto outcome = smi(client, {"nvlink", option}, hopper(driver));
      EXPECT_TRUE(went_well(outcome)) << release << " " << option;
      EXPECT_GT(count(outcome.out, "Link 17"), 0U) << release << " " << option << outcome.out;
    }
    const auto data = smi(client, {"nvlink", "-gt", "d"}, hopper(driver));
    EXPECT_TRUE(went_well(data)) << release;
    EXPECT_EQ(count(data.out, "Data Tx: 0 KiB"), 8 * 18U) << data.out;
  }
}

TEST(SmiSamples, EachRingHasItsNumberOfThem) {
  NVMLAB_REQUIRE_CLIENT(client, std::string{"nvidia-smi-550"});
  const auto outcome = smi(client, {"-q", "-d", "POWER,UTILIZATION,CLOCK", "-i", "0"}, hopper("550"));
  ASSERT_TRUE(went_well(outcome));
  EXPECT_EQ(count(outcome.out, "Number of Samples                 : 120"), 1U) << "power" << outcome.out;
  EXPECT_EQ(count(outcome.out, "Number of Samples                 : 100"), 8U) << "all others" << outcome.out;
}

// nvidia-smi takes samples in a thread of its own; a round that comes before the second sample shows dashes.
TEST(SmiGpm, MetricsShowOnceThereAreTwoSamples) {
  NVMLAB_REQUIRE_CLIENT(client, std::string{"nvidia-smi-550"});
  const auto outcome = smi(client, {"dmon", "-c", "4", "-i", "0", "--gpm-metrics", "1,2,10"}, hopper("550"));
  ASSERT_TRUE(went_well(outcome));
  EXPECT_GE(count(outcome.out, " 345          0          0          0 "), 1U) << outcome.out;
}

}  // namespace
}  // namespace nvmlab::test
