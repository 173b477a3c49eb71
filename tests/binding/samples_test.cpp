// SPDX-License-Identifier: Apache-2.0
// Samples, whose values have a type that is told once for all, and retired pages, which are two arrays.
#include "nvmlab/nvml/samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "nvmlab/abi/generated/struct_versions.hpp"
#include "tests/binding/support/allocations.hpp"

namespace nvml::detail {
namespace {

using abi::nvmlReturn_t;
using nvmlab::binding_test::allocated;

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
      if (*count == 0) return abi::NVML_ERROR_INVALID_ARGUMENT;
      if (*count < 3) return *count = 3, abi::NVML_ERROR_INSUFFICIENT_SIZE;
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
      if (room == nullptr || *count < 1) return *count = 1, abi::NVML_ERROR_INSUFFICIENT_SIZE;
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
      const unsigned offered = info->vgpuInstanceCount;
      info->vgpuInstanceCount = 1;
      if (info->vgpuUtilArray == nullptr || offered < 1) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
      info->vgpuUtilArray[0] = {};
      info->vgpuUtilArray[0].vgpuInstance = 7;
      info->vgpuUtilArray[0].ofaUtil.uiVal = 11;
      return abi::NVML_SUCCESS;
    };
  }
  // The list that `ask()` answers is what `ask(room)` writes into the caller's memory, which allocates nothing and must
  // have room for all.
  template <class T>
  static void expect_same_into_room(auto&& ask) {
    const Result<std::vector<T>> list = ask();
    ASSERT_TRUE(list) << list.error().message();
    std::vector<T> memory(list->size() + 5);
    Result<std::span<T>> lent = std::span<T>{};
    EXPECT_EQ(allocated([&] { lent = ask(std::span{memory}); }), 0U);
    ASSERT_TRUE(lent) << lent.error().message();
    EXPECT_EQ(lent->data(), memory.data());
    EXPECT_TRUE(std::ranges::equal(*lent, *list));
    EXPECT_TRUE(ask(std::span{memory}.first(list->size())));
    if (list->empty()) return;
    const auto less = ask(std::span{memory}.first(list->size() - 1));
    EXPECT_EQ(less.error().code(), Return{abi::NVML_ERROR_INSUFFICIENT_SIZE});
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

TEST_F(Samples, IntoTheCallersMemoryAreTheSame) {
  expect_same_into_room<Sample>(
      [&](auto... room) { return samples(*library, nullptr, SamplingType::gpu_utilization, at(1000), room...); });
  expect_same_into_room<Sample>(
      [&](auto... room) { return samples(*library, nullptr, SamplingType::total_power, at(0), room...); });
  expect_same_into_room<VgpuInstanceUtilization>(
      [&](auto... room) { return vgpu_utilization(*library, nullptr, at(0), room...); });
  for (const int since : {0, 99}) {
    expect_same_into_room<VgpuInstanceUtilization>(
        [&](auto... room) { return vgpu_instances_utilization(*library, nullptr, at(since), room...); });
  }
  for (const unsigned many : {0U, 1U, 64U, 200U}) {
    pages = many;
    expect_same_into_room<RetiredPage>(
        [&](auto... room) { return retired_pages(*library, nullptr, PageRetirementCause{}, room...); });
  }
}

TEST_F(Samples, MorePagesThanAnyStackIsTakenForAreAllocated) {
  pages = 3000;
  std::vector<RetiredPage> memory(3001);
  const auto all = retired_pages(*library, nullptr, PageRetirementCause{}, memory);
  ASSERT_TRUE(all) << all.error().message();
  ASSERT_EQ(all->size(), 3000U);
  EXPECT_EQ(all->back(), (RetiredPage{0x1000 + 2999, at(5'002'999)}));
}

TEST_F(Samples, IntoTheCallersMemoryFailAsTheListDoes) {
  std::array<Sample, 3> memory{};
  value_type = abi::nvmlValueType_t{50};
  const auto of_new_type = samples(*library, nullptr, SamplingType::gpu_utilization, at(0), memory);
  EXPECT_EQ(of_new_type.error().origin(), Origin::binding);
  std::array<RetiredPage, 2> room{};
  Functions& functions = library->functions;
  functions.nvmlDeviceGetSamples = nullptr;
  functions.nvmlDeviceGetRetiredPages_v2 = nullptr;
  EXPECT_EQ(samples(*library, nullptr, SamplingType::gpu_utilization, at(0), memory).error().origin(), Origin::symbol);
  EXPECT_EQ(retired_pages(*library, nullptr, PageRetirementCause{}, room).error().origin(), Origin::symbol);
}

}  // namespace
}  // namespace nvml::detail
