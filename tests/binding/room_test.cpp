// SPDX-License-Identifier: Apache-2.0
// What writes into the caller's memory allocates nothing, and a short list allocates its result alone.
#include <gtest/gtest.h>

#include "nvmlab/nvml/generated/field_id.hpp"
#include "tests/binding/support/allocations.hpp"
#include "tests/binding/support/fake_objects.hpp"
#include "tests/binding/support/simulated.hpp"

namespace nvmlab::binding_test {
namespace {

using namespace nvml;
namespace abi = nvml::abi;

class Room : public testing::Test {
 protected:
  Room() {
    fake.set<&Functions::nvmlDeviceGetAccountingPids>([](abi::nvmlDevice_t, unsigned* count, unsigned* room) {
      if (*count < 3) return *count = 3, abi::NVML_ERROR_INSUFFICIENT_SIZE;
      room[0] = room[1] = room[2] = 5;
      return *count = 3, abi::NVML_SUCCESS;
    });
    fake.set<&Functions::nvmlDeviceGetFieldValues>([](abi::nvmlDevice_t, int, abi::nvmlFieldValue_t* values) {
      values->valueType = abi::NVML_VALUE_TYPE_UNSIGNED_INT;
      values->nvmlReturn = values->fieldId == 1 ? abi::NVML_ERROR_NOT_SUPPORTED : abi::NVML_SUCCESS;
      return abi::NVML_SUCCESS;
    });
  }
  Fake fake;
  Device device = device_of(fake);
};

TEST_F(Room, OfTheCallerIsAllThatIsUsed) {
  unsigned room[3] = {};
  bool good = false;
  EXPECT_EQ(allocated([&] { good = device.accounting_pids(room).has_value(); }), 0U);
  EXPECT_TRUE(good);
  EXPECT_EQ(allocated([&] { good = device.accounting_pids(std::span{room}.first(2)).has_value(); }), 0U) << "an error";
  EXPECT_FALSE(good);
}

TEST_F(Room, OfFieldsToo) {
  const Field fields[] = {FieldId{1}};
  FieldValue room[1] = {};
  bool good = false;
  EXPECT_EQ(allocated([&] { good = device.field_values(fields, room).has_value(); }), 0U);
  EXPECT_TRUE(good);
  EXPECT_FALSE(room[0].value);
  EXPECT_EQ(allocated([&] { good = device.field_values(FieldId{2}).has_value(); }), 0U) << "one field";
  EXPECT_TRUE(good);
}

// Some of them no field of these boards: an error is no allocation either, once its device has been named.
TEST_F(Room, OfASamplerOfTwentyFieldsOfEveryGpuIsItsStack) {
  const Library library = open_simulated();
  const std::vector<Device> devices = library.devices();
  ASSERT_EQ(devices.size(), 8U);
  unsigned answered = 0;
  const auto round = [&] {
    answered = 0;
    for (const Device& each : devices) {
      using enum FieldId;
      const auto now =
          each.fields<power_instant, power_average, power_min_limit, power_max_limit, power_default_limit,
                      power_current_limit, total_energy_consumption, memory_temp, ecc_sbe_vol_total, ecc_dbe_vol_total,
                      ecc_sbe_agg_total, ecc_dbe_agg_total, retired_pending, remapped_cor, remapped_unc,
                      remapped_pending, pcie_replay_counter, nvlink_link_count, gpu_temp, nvlink_count_xmit_bytes>();
      if (now.get<power_instant>()) ++answered;
      if (now.get<total_energy_consumption>()) ++answered;
      for (const FieldValue& value : now.values())
        if (value.value) ++answered;
    }
  };
  round();
  EXPECT_EQ(allocated(round), 0U);
  EXPECT_GE(answered, devices.size() * 15);
}

TEST_F(Room, AShortListIsAllocatedOnce) {
  std::size_t many = 0;
  EXPECT_EQ(allocated([&] { many = device.accounting_pids()->size(); }), 1U);
  EXPECT_EQ(many, 3U);
}

}  // namespace
}  // namespace nvmlab::binding_test
