// SPDX-License-Identifier: Apache-2.0
// Samples, whose values have a type that is told once for all, and retired pages, which are two arrays.
#include "nvmlab/nvml/samples.hpp"

#include <gtest/gtest.h>

#include "nvmlab/abi/generated/struct_versions.hpp"

namespace nvml::detail {
namespace {

using abi::nvmlReturn_t;

unsigned pages;
abi::nvmlValueType_t value_type;

class Samples : public testing::Test {
 protected:
  Samples() {
    value_type = abi::NVML_VALUE_TYPE_UNSIGNED_INT;
    Functions& functions = library->functions;
    functions.nvmlDeviceGetSamples = [](abi::nvmlDevice_t, abi::nvmlSamplingType_t type, unsigned long long since,
                                        abi::nvmlValueType_t* told, unsigned* count, abi::nvmlSample_t* room) {
      if (type == abi::NVML_TOTAL_POWER_SAMPLES) return abi::NVML_ERROR_NOT_FOUND;
      *told = value_type;
      if (room == nullptr) return *count = 3, abi::NVML_SUCCESS;
      if (*count < 3) return abi::NVML_ERROR_INVALID_ARGUMENT;
      for (unsigned i = 0; i < 3; ++i) {
        room[i] = {since + i, {}};
        room[i].sampleValue.uiVal = 40 + i;
      }
      return *count = 3, abi::NVML_SUCCESS;
    };
    functions.nvmlDeviceGetRetiredPages_v2 = [](abi::nvmlDevice_t, abi::nvmlPageRetirementCause_t, unsigned* count,
                                                unsigned long long* addresses, unsigned long long* times) {
      const unsigned offered = *count;
      *count = pages;
      if (offered < pages) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
      for (unsigned i = 0; i < pages; ++i) {
        addresses[i] = 0x1000 + i;
        times[i] = 5'000'000 + i;
      }
      return abi::NVML_SUCCESS;
    };
    functions.nvmlDeviceGetVgpuUtilization = [](abi::nvmlDevice_t, unsigned long long, abi::nvmlValueType_t* told,
                                                unsigned* count, abi::nvmlVgpuInstanceUtilizationSample_t* room) {
      if (*count < 1) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
      *told = value_type;
      *count = 1;
      *room = {7, 1'000'000, {}, {}, {}, {}};
      room->smUtil.uiVal = 80;
      room->decUtil.uiVal = 3;
      return abi::NVML_SUCCESS;
    };
    functions.nvmlDeviceGetVgpuInstancesUtilizationInfo = [](abi::nvmlDevice_t,
                                                             abi::nvmlVgpuInstancesUtilizationInfo_v1_t* info) {
      if (info->version != abi::version_of<abi::nvmlVgpuInstancesUtilizationInfo_v1_t>)
        return abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
      if (info->lastSeenTimeStamp == 99) return abi::NVML_ERROR_NOT_FOUND;
      info->sampleValType = value_type;
      info->vgpuInstanceCount = 1;
      info->vgpuUtilArray[0] = {};
      info->vgpuUtilArray[0].vgpuInstance = 7;
      info->vgpuUtilArray[0].ofaUtil.uiVal = 11;
      return abi::NVML_SUCCESS;
    };
  }
  static Timestamp at(long long microseconds) { return Timestamp{std::chrono::microseconds{microseconds}}; }
  Shared library{new State};
};

TEST_F(Samples, HaveTheTypeThatWasTold) {
  const auto all = samples(*library, nullptr, SamplingType::gpu_utilization, at(1000));
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_EQ(*all, (std::vector<Sample>{{at(1000), 40U}, {at(1001), 41U}, {at(1002), 42U}}));
}

TEST_F(Samples, NoneIsAnEmptyList) {
  EXPECT_TRUE(samples(*library, nullptr, SamplingType::total_power, at(0)).value().empty());
  EXPECT_TRUE(vgpu_instances_utilization(*library, nullptr, at(99)).value().empty());
}

TEST_F(Samples, ATypeThatNobodyKnowsIsAnError) {
  value_type = abi::nvmlValueType_t{50};
  const auto all = samples(*library, nullptr, SamplingType::gpu_utilization, at(0));
  EXPECT_EQ(all.error().origin(), Origin::binding);
  EXPECT_EQ(all.error().function(), "nvmlDeviceGetSamples");
}

TEST_F(Samples, RetiredPagesAreAddressesWithTimes) {
  for (const unsigned many : {0U, 1U, 64U, 65U, 300U}) {
    pages = many;
    const auto all = retired_pages(*library, nullptr, PageRetirementCause{});
    ASSERT_TRUE(all);
    ASSERT_EQ(all->size(), many);
    for (unsigned i = 0; i < many; ++i)
      EXPECT_EQ((*all)[i], (RetiredPage{0x1000 + i, at(5'000'000 + i)}));
  }
}

TEST_F(Samples, OfVgpus) {
  const auto old = vgpu_utilization(*library, nullptr, at(0));
  ASSERT_TRUE(old);
  VgpuInstanceUtilization expected;
  expected.instance = VgpuInstanceId{7};
  expected.timestamp = at(1'000'000);
  expected.sm = Percent{80};
  expected.decoder = Percent{3};
  EXPECT_EQ(*old, std::vector{expected});
  const auto newer = vgpu_instances_utilization(*library, nullptr, at(0));
  ASSERT_TRUE(newer) << newer.error().message();
  EXPECT_EQ(newer->front().ofa, Percent{11});
  EXPECT_EQ(newer->front().jpeg, Percent{0});
  EXPECT_EQ(old->front().ofa, std::nullopt);
}

}  // namespace
}  // namespace nvml::detail
