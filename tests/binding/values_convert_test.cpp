// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/convert.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "nvmlab/nvml/generated/convert_memory.hpp"
#include "nvmlab/nvml/generated/convert_processes.hpp"
#include "nvmlab/nvml/generated/convert_vgpu.hpp"

// Within nvml: a compiler's own <cxxabi.h> has an `abi` of its own.
namespace nvml {
namespace {

using namespace std::chrono_literals;

TEST(ValuesConvert, ATextEndsAtItsFirstNulOrItsArray) {
  std::string text;
  const char half[8] = {'a', 'b', '\0', 'x', 'x', 'x', 'x', 'x'};
  detail::from_c(half, text);
  EXPECT_EQ(text, "ab");
  const char full[4] = {'f', 'u', 'l', 'l'};
  detail::from_c(full, text);
  EXPECT_EQ(text, "full");

  char back[8];
  std::memset(back, 'z', sizeof back);
  detail::to_c(std::string{"ab"}, back);
  EXPECT_EQ(std::string(back, 8), std::string("ab\0\0\0\0\0\0", 8));
  char narrow[3];
  detail::to_c(std::string{"longer"}, narrow);
  EXPECT_EQ(std::string(narrow, 3), "lon");
}

TEST(ValuesConvert, UnitsAndTimesAreTheirNumbers) {
  Milliwatts power;
  detail::from_c(250'000U, power);
  EXPECT_EQ(power, Milliwatts{250'000});
  Celsius cold;
  detail::from_c(-5, cold);
  EXPECT_EQ(cold.count(), -5);
  std::chrono::microseconds time{};
  detail::from_c(1'500'000ULL, time);
  EXPECT_EQ(time, 1500ms);
  Timestamp moment;
  detail::from_c(1'700'000'000'000'000ULL, moment);
  EXPECT_EQ(std::chrono::system_clock::to_time_t(moment), 1'700'000'000);
}

TEST(ValuesConvert, AnyNumberButZeroIsTrue) {
  bool flag = false;
  detail::from_c(2U, flag);
  EXPECT_TRUE(flag);
  unsigned back = 7;
  detail::to_c(flag, back);
  EXPECT_EQ(back, 1U);
}

TEST(ValuesConvert, ASentinelIsNothing) {
  const abi::nvmlProcessInfo_v2_t c{12, ~0ULL, 3, 0xFFFFFFFFU};
  ProcessInfo process;
  from_c(c, process);
  EXPECT_EQ(process.pid, 12U);
  EXPECT_FALSE(process.used_gpu_memory);
  EXPECT_EQ(process.gpu_instance_id, 3U);
  EXPECT_FALSE(process.compute_instance_id);
  EXPECT_FALSE(process.used_protected_memory);  // this layout has none

  abi::nvmlProcessInfo_v2_t back{};
  to_c(process, back);
  EXPECT_EQ(back.usedGpuMemory, ~0ULL);
  EXPECT_EQ(back.computeInstanceId, 0xFFFFFFFFU);

  abi::nvmlVgpuPlacementId_v1_t placement{0, 0xFFFF};
  VgpuPlacementId typed{7};
  from_c(placement, typed);
  EXPECT_FALSE(typed.placement_id);
}

TEST(ValuesConvert, OneTypeForAllVersionsOfAStruct) {
  Memory memory;
  from_c(abi::nvmlMemory_t{100, 60, 40}, memory);
  EXPECT_EQ(memory.total, Bytes{100});
  EXPECT_FALSE(memory.reserved);
  from_c(abi::nvmlMemory_v2_t{0, 100, 10, 60, 30}, memory);
  EXPECT_EQ(memory.reserved, Bytes{10});
  from_c(abi::nvmlMemory_t{100, 60, 40}, memory);
  EXPECT_FALSE(memory.reserved) << "what was there before must not stay";
  static_assert(std::is_same_v<detail::typed<abi::nvmlMemory_t>, Memory>);
  static_assert(std::is_same_v<detail::typed<abi::nvmlMemory_v2_t>, Memory>);
}

TEST(ValuesConvert, ACountBeyondTheArrayIsNotBelieved) {
  abi::nvmlGridLicensableFeatures_t c{};
  c.licensableFeaturesCount = 4'000'000'000U;
  GridLicensableFeatures features;
  from_c(c, features);
  EXPECT_EQ(features.features.size(), std::size(c.gridLicensableFeatures));
}

}  // namespace
}  // namespace nvml
