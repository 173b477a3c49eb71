// SPDX-License-Identifier: Apache-2.0
// Methods that answer one number, several, or nothing at all: what reaches the C function, and what comes back.
#include <gtest/gtest.h>

#include "tests/binding/support/fake_objects.hpp"

namespace nvml {
namespace {

using nvmlab::binding_test::device_handle;
using nvmlab::binding_test::device_of;
using nvmlab::binding_test::driver_error;

TEST(ScalarMethod, AnswersTheNumberInItsUnit) {
  Fake fake;
  fake.set<&Functions::nvmlDeviceGetPowerUsage>([](abi::nvmlDevice_t device, unsigned* power) {
    *power = device == device_handle() ? 123456 : 0;
    return abi::NVML_SUCCESS;
  });
  EXPECT_EQ(device_of(fake).power_usage().value(), Milliwatts{123456});
}

TEST(ScalarMethod, PassesWhatTheDriverRefuses) {
  Fake fake;
  fake.set_answer<&Functions::nvmlDeviceGetPowerUsage>(Return::gpu_is_lost);
  const auto power = device_of(fake).power_usage();
  ASSERT_FALSE(power.has_value());
  EXPECT_EQ(power.error(), driver_error(abi::NVML_ERROR_GPU_IS_LOST, "nvmlDeviceGetPowerUsage"));
}

TEST(ScalarMethod, MissingFunctionIsAValue) {
  Fake fake;
  const auto power = device_of(fake).power_usage();
  ASSERT_FALSE(power.has_value());
  EXPECT_EQ(power.error().origin(), Origin::symbol);
  EXPECT_EQ(power.error().function(), "nvmlDeviceGetPowerUsage");
}

TEST(ScalarMethod, ArgumentsKeepTheirOrderAndBecomeC) {
  Fake fake;
  fake.set<&Functions::nvmlDeviceGetClock>(
      [](abi::nvmlDevice_t, abi::nvmlClockType_t type, abi::nvmlClockId_t id, unsigned* clock) {
        *clock = 100 * static_cast<unsigned>(type) + static_cast<unsigned>(id);
        return abi::NVML_SUCCESS;
      });
  const auto clock = device_of(fake).clock(static_cast<ClockType>(2), static_cast<ClockId>(3));
  EXPECT_EQ(clock.value(), Megahertz{203});
}

TEST(ScalarMethod, UnknownEnumeratorsAreKept) {
  Fake fake;
  fake.set<&Functions::nvmlDeviceGetBrand>([](abi::nvmlDevice_t, abi::nvmlBrandType_t* brand) {
    *brand = static_cast<abi::nvmlBrandType_t>(4711);
    return abi::NVML_SUCCESS;
  });
  EXPECT_EQ(device_of(fake).brand().value(), static_cast<Brand>(4711));
}

TEST(ScalarMethod, OtherObjectsAreArguments) {
  Fake fake;
  fake.set<&Functions::nvmlDeviceOnSameBoard>([](abi::nvmlDevice_t one, abi::nvmlDevice_t other, int* same) {
    *same = one == device_handle(0x10) && other == device_handle(0x20) ? 1 : 0;
    return abi::NVML_SUCCESS;
  });
  EXPECT_TRUE(device_of(fake, 0x10).is_on_same_board_as(device_of(fake, 0x20)).value());
  EXPECT_FALSE(device_of(fake, 0x20).is_on_same_board_as(device_of(fake, 0x10)).value());
}

TEST(ScalarMethod, NothingIsAnOptional) {
  Fake fake;
  unsigned written = 5;
  fake.set<&Functions::nvmlVgpuInstanceGetGpuInstanceId>([&](abi::nvmlVgpuInstance_t, unsigned* id) {
    *id = written;
    return abi::NVML_SUCCESS;
  });
  const VgpuInstance instance{fake.library().library(), 7};
  EXPECT_EQ(instance.gpu_instance_id().value(), std::optional<unsigned>{5});
  written = 0xFFFFFFFF;
  EXPECT_EQ(instance.gpu_instance_id().value(), std::nullopt);
}

TEST(ScalarMethod, AModeThatWaitsForAResetIsAnError) {
  Fake fake;
  fake.set<&Functions::nvmlDeviceSetMigMode>([](abi::nvmlDevice_t, unsigned mode, abi::nvmlReturn_t* status) {
    *status = mode == 1 ? abi::NVML_ERROR_RESET_REQUIRED : abi::NVML_SUCCESS;
    return abi::NVML_SUCCESS;
  });
  const auto waits = device_of(fake).set_mig_mode(true);
  ASSERT_FALSE(waits);
  EXPECT_EQ(waits.error().code(), Return::reset_required);
  EXPECT_TRUE(waits.error().detail().starts_with("the mode was taken")) << waits.error().message();
  EXPECT_TRUE(device_of(fake).set_mig_mode(false));
}

TEST(SeveralMethod, EachOutputIsAMember) {
  Fake fake;
  fake.set<&Functions::nvmlDeviceGetRemappedRows>(
      [](abi::nvmlDevice_t, unsigned* correctable, unsigned* uncorrectable, unsigned* pending, unsigned* failed) {
        *correctable = 1, *uncorrectable = 2, *pending = 1, *failed = 0;
        return abi::NVML_SUCCESS;
      });
  const auto rows = device_of(fake).remapped_rows();
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->correctable, 1U);
  EXPECT_EQ(rows->uncorrectable, 2U);
  EXPECT_TRUE(rows->pending);
  EXPECT_FALSE(rows->failed);
}

TEST(SeveralMethod, RefusalsAndAbsence) {
  Fake fake;
  EXPECT_EQ(device_of(fake).remapped_rows().error().origin(), Origin::symbol);
  fake.set_answer<&Functions::nvmlDeviceGetRemappedRows>(Return::not_supported);
  EXPECT_EQ(device_of(fake).remapped_rows().error(),
            driver_error(abi::NVML_ERROR_NOT_SUPPORTED, "nvmlDeviceGetRemappedRows"));
}

TEST(CommandMethod, ValuesGoInAsC) {
  Fake fake;
  unsigned asked = 0;
  fake.set<&Functions::nvmlDeviceSetPowerManagementLimit>([&](abi::nvmlDevice_t, unsigned limit) {
    asked = limit;
    return limit > 700000 ? abi::NVML_ERROR_INVALID_ARGUMENT : abi::NVML_SUCCESS;
  });
  EXPECT_TRUE(device_of(fake).set_power_management_limit(Milliwatts{400000}).has_value());
  EXPECT_EQ(asked, 400000U);
  EXPECT_EQ(device_of(fake).set_power_management_limit(Milliwatts{900000}).error(),
            driver_error(abi::NVML_ERROR_INVALID_ARGUMENT, "nvmlDeviceSetPowerManagementLimit"));
}

TEST(CommandMethod, ScalarsBehindPointers) {
  Fake fake;
  int asked = 0;
  fake.set<&Functions::nvmlDeviceSetTemperatureThreshold>(
      [&](abi::nvmlDevice_t, abi::nvmlTemperatureThresholds_t, int* temperature) {
        asked = *temperature;
        return abi::NVML_SUCCESS;
      });
  EXPECT_TRUE(device_of(fake).set_temperature_threshold(static_cast<TemperatureThreshold>(1), Celsius{83}).has_value());
  EXPECT_EQ(asked, 83);
}

}  // namespace
}  // namespace nvml
