// SPDX-License-Identifier: Apache-2.0
// Field values against a fake driver that keeps what it was asked for.
#include "nvmlab/nvml/field_value.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "nvmlab/abi/generated/field_ids.hpp"
#include "nvmlab/nvml/field_numbers.hpp"

namespace nvml::detail {
namespace {

using abi::nvmlFieldValue_t;
using abi::nvmlReturn_t;

struct Fake {
  const char* release = "620.1";
  std::vector<std::vector<nvmlFieldValue_t>> asked;  // a list for each call
  unsigned versions_asked = 0;
  nvmlReturn_t code = abi::NVML_SUCCESS;
};
Fake fake;

nvmlReturn_t version(char* text, unsigned length) {
  ++fake.versions_asked;
  if (std::strlen(fake.release) >= length) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
  std::strcpy(text, fake.release);
  return abi::NVML_SUCCESS;
}

// The value of a field is its number, as a type of the caller's choosing; 999 is none that it has, 998 of a new type.
nvmlReturn_t get(abi::nvmlDevice_t, int count, nvmlFieldValue_t* values) {
  if (count <= 0) return abi::NVML_ERROR_INVALID_ARGUMENT;
  fake.asked.emplace_back(values, values + count);
  if (fake.code != abi::NVML_SUCCESS) return fake.code;
  for (nvmlFieldValue_t& value : std::span{values, static_cast<std::size_t>(count)}) {
    value.timestamp = 1'700'000'000'000'000;
    value.latencyUsec = 12;
    value.valueType = value.fieldId == 998 ? abi::nvmlValueType_t{77} : abi::NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
    value.nvmlReturn = value.fieldId == 999 ? abi::NVML_ERROR_NOT_SUPPORTED : abi::NVML_SUCCESS;
    value.value.ullVal = value.fieldId;
  }
  return abi::NVML_SUCCESS;
}

class FieldValues : public testing::Test {
 protected:
  FieldValues() {
    fake = {};
    state->functions.nvmlSystemGetDriverVersion = version;
    state->functions.nvmlDeviceGetFieldValues = get;
    state->functions.nvmlDeviceClearFieldValues = get;
  }
  static Field field(unsigned id, unsigned scope = 0) { return {static_cast<FieldId>(id), scope}; }
  std::uint64_t read(int id) {
    const auto value = read_field(*state, nullptr, field(static_cast<unsigned>(id)));
    EXPECT_TRUE(value);
    return value ? number<std::uint64_t>(value->value) : 0;
  }

  Shared state{new State};
};

TEST_F(FieldValues, EachHasItsOwnAnswer) {
  const Field fields[] = {field(5, 3), field(999), field(998)};
  const auto values = read_fields(*state, nullptr, fields);
  ASSERT_TRUE(values);
  ASSERT_EQ(values->size(), 3U);
  const FieldValue& good = (*values)[0];
  EXPECT_EQ(good.field, field(5, 3));
  EXPECT_EQ(good.value.value(), Value{std::uint64_t{5}});
  EXPECT_EQ(good.timestamp.time_since_epoch(), std::chrono::seconds{1'700'000'000});
  EXPECT_EQ(good.latency, std::chrono::microseconds{12});
  const Error refused{Return{abi::NVML_ERROR_NOT_SUPPORTED}, Origin::driver, "nvmlDeviceGetFieldValues"};
  EXPECT_EQ((*values)[1].value.error(), refused);
  EXPECT_EQ((*values)[2].value.error().origin(), Origin::binding) << "a type that nobody knows yet";
}

TEST_F(FieldValues, TheDriverGetsZeroedEntriesWithIdAndScope) {
  ASSERT_TRUE(read_field(*state, nullptr, field(82, 4)));
  ASSERT_EQ(fake.asked.size(), 1U);
  nvmlFieldValue_t expected{};
  expected.fieldId = 82;
  expected.scopeId = 4;
  EXPECT_EQ(std::memcmp(&fake.asked[0][0], &expected, sizeof expected), 0);
}

TEST_F(FieldValues, NothingAskedNothingCalled) {
  const auto values = read_fields(*state, nullptr, {});
  ASSERT_TRUE(values) << values.error().message();
  EXPECT_TRUE(values->empty());
  EXPECT_TRUE(clear_fields(*state, nullptr, {}).value().empty());
  EXPECT_TRUE(fake.asked.empty());
}

TEST_F(FieldValues, ManyAtATime) {
  std::vector<Field> fields;
  for (unsigned id = 1; id <= 150; ++id)
    fields.push_back(field(id));
  const auto values = read_fields(*state, nullptr, fields);
  ASSERT_TRUE(values);
  ASSERT_EQ(values->size(), 150U);
  for (unsigned i = 0; i < 150; ++i)
    EXPECT_EQ((*values)[i].value.value(), Value{std::uint64_t{i + 1}});
  EXPECT_EQ(fake.asked.size(), 3U);
}

TEST_F(FieldValues, IntoTheCallersRoom) {
  const Field fields[] = {field(1), field(2)};
  FieldValue room[3] = {};
  ASSERT_TRUE(read_fields(*state, nullptr, fields, room));
  EXPECT_EQ(room[1].value.value(), Value{std::uint64_t{2}});
  const auto small = read_fields(*state, nullptr, fields, std::span{room}.first(1));
  EXPECT_EQ(small.error().code(), Return{abi::NVML_ERROR_INSUFFICIENT_SIZE});
  EXPECT_EQ(*small.error().shortage(), (Shortage{1, 2}));
}

TEST_F(FieldValues, AnErrorOfTheCallIsOneForAll) {
  fake.code = abi::NVML_ERROR_GPU_IS_LOST;
  EXPECT_EQ(read_field(*state, nullptr, field(1)).error().code(), Return{abi::NVML_ERROR_GPU_IS_LOST});
  state->functions.nvmlDeviceGetFieldValues = nullptr;
  EXPECT_EQ(read_field(*state, nullptr, field(1)).error().origin(), Origin::symbol);
}

TEST_F(FieldValues, CountersAreClearedOneByOne) {
  const Field fields[] = {field(5), field(999)};
  const auto answers = clear_fields(*state, nullptr, fields);
  ASSERT_TRUE(answers);
  EXPECT_TRUE((*answers)[0]);
  EXPECT_EQ((*answers)[1].error().function(), "nvmlDeviceClearFieldValues");
}

// Power smoothing moved by five in 12.9 and back in 13.1; the counters of slowdown took its place meanwhile.
TEST_F(FieldValues, ANameMeansTheSameWithEveryDriver) {
  struct {
    const char* release;
    unsigned smoothing, slowdown, mig, threshold;
  } const rows[] = {
      {"550.163.01", 251, 269, 199, 200},    {"555.58.02", 251, 269, 200, 199},  {"565.57.01", 251, 269, 200, 199},
      {"570.148.08", 251, 269, 199, 200},    {"575.64.05", 256, 251, 199, 200},  {"580.65.06", 256, 251, 199, 200},
      {"580.82.07", 251, 269, 199, 200},     {"580.105.08", 251, 269, 199, 200}, {"620.1", 251, 269, 199, 200},
      {"not a release", 251, 269, 199, 200},
  };
  for (const auto& row : rows) {
    fake.release = row.release;
    EXPECT_EQ(read(abi::FI_PWR_SMOOTHING_ENABLED), row.smoothing) << row.release;
    EXPECT_EQ(read(abi::FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN), row.slowdown) << row.release;
    EXPECT_EQ(read(abi::FI_DEV_IS_MIG_MODE_INDEPENDENT_MIG_QUERY_CAPABLE), row.mig) << row.release;
    EXPECT_EQ(read(abi::FI_DEV_NVLINK_GET_POWER_THRESHOLD_MAX), row.threshold) << row.release;
  }
}

TEST_F(FieldValues, TheReleaseIsAskedForOnlyWhereItMatters) {
  read(abi::FI_DEV_TOTAL_ENERGY_CONSUMPTION);
  EXPECT_EQ(fake.versions_asked, 0U);
  read(abi::FI_PWR_SMOOTHING_ENABLED);
  EXPECT_EQ(fake.versions_asked, 1U);
  state->functions.nvmlSystemGetDriverVersion = nullptr;
  EXPECT_EQ(read(abi::FI_PWR_SMOOTHING_ENABLED), 251U) << "the newest number, if the library does not say";
}

TEST(Values, OfEveryType) {
  abi::nvmlValue_t c{};
  const auto made = [&](abi::nvmlValueType_t type) { return value_of(type, c).value(); };
  c.dVal = 1.5;
  EXPECT_EQ(made(abi::NVML_VALUE_TYPE_DOUBLE), Value{1.5});
  c = {};
  c.sllVal = -3;
  EXPECT_EQ(made(abi::NVML_VALUE_TYPE_SIGNED_LONG_LONG), Value{std::int64_t{-3}});
  EXPECT_EQ(made(abi::NVML_VALUE_TYPE_SIGNED_INT), Value{-3});
  EXPECT_EQ(made(abi::NVML_VALUE_TYPE_UNSIGNED_INT), Value{0xFFFFFFFDU});
  EXPECT_EQ(made(abi::NVML_VALUE_TYPE_UNSIGNED_LONG), Value{std::uint64_t{0xFFFFFFFFFFFFFFFDU}});
  EXPECT_EQ(made(abi::NVML_VALUE_TYPE_UNSIGNED_LONG_LONG), Value{std::uint64_t{0xFFFFFFFFFFFFFFFDU}});
  EXPECT_EQ(made(abi::NVML_VALUE_TYPE_UNSIGNED_SHORT), Value{std::uint16_t{0xFFFD}});
  EXPECT_EQ(value_of(abi::NVML_VALUE_TYPE_COUNT, c), std::nullopt);
  EXPECT_EQ(number<double>(Value{-3}), -3.0);
}

TEST(Releases, AreOrdered) {
  EXPECT_LT(driver_release("580.65.06"), driver_release("580.82"));
  EXPECT_LT(driver_release("580.82.07"), driver_release("580.105.08"));
  EXPECT_EQ(driver_release("580.82.07"), driver_release("580.82"));
  EXPECT_LT(driver_release("580.105.08"), driver_release("590"));
  for (const char* text : {"", "r580", "580-65", "99999999999.1"})
    EXPECT_EQ(driver_release(text), 0U) << text;
}

}  // namespace
}  // namespace nvml::detail
