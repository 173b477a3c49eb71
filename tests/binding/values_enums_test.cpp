// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "nvmlab/abi/abi.hpp"
#include "nvmlab/nvml/convert.hpp"
#include "nvmlab/nvml/generated/enums.hpp"
#include "nvmlab/nvml/generated/field_id.hpp"
#include "nvmlab/nvml/generated/gpm_metric_id.hpp"
#include "nvmlab/nvml/generated/masks.hpp"
#include "nvmlab/nvml/generated/return.hpp"

// Within nvml: a compiler's own <cxxabi.h> has an `abi` of its own.
namespace nvml {
namespace {

TEST(ValuesEnums, NamesAreThoseOfTheEnumerators) {
  EXPECT_EQ(to_string(Brand::geforce_rtx), "geforce_rtx");
  EXPECT_EQ(to_string(Pstate::p0), "p0");
  EXPECT_EQ(to_string(Return::function_not_found), "function_not_found");
  EXPECT_EQ(to_string(ComputeMode::default_), "default_");
  EXPECT_EQ(to_string(FieldId::retired_pending), "retired_pending");
  EXPECT_EQ(to_string(GpmMetricId::nvlink_l71_tx_per_sec), "nvlink_l71_tx_per_sec");
}

TEST(ValuesEnums, NumbersAreThoseOfC) {
  EXPECT_EQ(static_cast<unsigned>(Brand::nvidia_rtx), abi::NVML_BRAND_NVIDIA_RTX);
  EXPECT_EQ(static_cast<unsigned>(Return::argument_version_mismatch), abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
  EXPECT_EQ(static_cast<unsigned>(Architecture::unknown), abi::DEVICE_ARCH_UNKNOWN);
  EXPECT_EQ(static_cast<int>(ThermalTarget::unknown), abi::NVML_THERMAL_TARGET_UNKNOWN);
  EXPECT_EQ(static_cast<unsigned>(ClockLimitId::unlimited), abi::NVML_CLOCK_LIMIT_ID_UNLIMITED);
  EXPECT_EQ(static_cast<int>(FieldId::retired_pending), abi::FI_DEV_RETIRED_PENDING);
}

TEST(ValuesEnums, OfEqualValuesTheFirstNameIsSaid) {
  EXPECT_EQ(Brand::nvidia_cloud_gaming, Brand::nvidia_vgaming);
  EXPECT_EQ(to_string(Brand::nvidia_vgaming), "nvidia_cloud_gaming");
}

TEST(ValuesEnums, ANumberWithoutANameIsKept) {
  Brand brand{};
  detail::from_c(4711U, brand);
  EXPECT_EQ(static_cast<unsigned>(brand), 4711U);
  EXPECT_EQ(to_string(brand), "unrecognized (4711)");
  EXPECT_EQ(name_of(brand), "");
  EXPECT_EQ(name_of(Brand::titan), "titan");
  EXPECT_EQ(to_string(static_cast<FieldId>(4711)), "unrecognized (4711)");
  EXPECT_EQ(to_string(static_cast<FabricCliqueType>(200)), "unrecognized (200)") << "a number also where it is a byte";
  abi::nvmlBrandType_t back{};
  detail::to_c(brand, back);
  EXPECT_EQ(static_cast<unsigned>(back), 4711U);
}

TEST(ValuesFlags, AreASet) {
  const auto both = ClocksEventReason::gpu_idle | ClocksEventReason::sw_power_cap;
  EXPECT_TRUE(both.has(ClocksEventReason::gpu_idle));
  EXPECT_FALSE(both.has(ClocksEventReason::hw_slowdown));
  EXPECT_EQ(both.raw(), 5U);
  EXPECT_EQ((both & ClocksEventReason::gpu_idle).raw(), 1U);
  EXPECT_EQ((both & ~ClocksEventReason::gpu_idle).raw(), 4U);
  EXPECT_TRUE(ClocksEventReasons{}.empty());
  ClocksEventReasons grown;
  grown |= ClocksEventReason::reliability;
  EXPECT_EQ(grown, ClocksEventReasons{ClocksEventReason::reliability});
}

TEST(ValuesFlags, BitsWithoutANameAreKeptAndSaid) {
  ClocksEventReasons reasons;
  detail::from_c(1ULL << 40U | 1U, reasons);
  EXPECT_EQ(to_string(reasons), "gpu_idle|bit 40");
  unsigned long long back = 0;
  detail::to_c(reasons, back);
  EXPECT_EQ(back, 1ULL << 40U | 1U);
  EXPECT_EQ(to_string(ClocksEventReasons{}), "");
}

TEST(ValuesFlags, AFlagOfSeveralBitsNeedsAllOfThem) {
  EXPECT_FALSE(CoolerTargets{CoolerTarget::gpu}.has(CoolerTarget::gpu_related));
  EXPECT_TRUE((CoolerTarget::gpu | CoolerTarget::memory | CoolerTarget::power_supply).has(CoolerTarget::gpu_related));
}

}  // namespace
}  // namespace nvml
