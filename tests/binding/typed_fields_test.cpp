// SPDX-License-Identifier: Apache-2.0
// Fields and metrics with their types: every id has one, and what a driver answers fits it.
#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nvmlab/nvml.hpp"
#include "nvmlab/nvml/reflect.hpp"
#include "tests/binding/support/fake_objects.hpp"
#include "tests/binding/support/simulated.hpp"

namespace nvmlab::binding_test {
namespace {

using namespace nvml;
namespace abi = nvml::abi;

static_assert(std::is_same_v<FieldType<FieldId::power_instant>, Milliwatts>);
static_assert(std::is_same_v<FieldType<FieldId::memory_temp>, Celsius>);
static_assert(std::is_same_v<FieldType<FieldId::ecc_current>, bool>);
static_assert(std::is_same_v<FieldType<FieldId::nvlink_get_state>, NvlinkState>);
static_assert(std::is_same_v<FieldType<FieldId::pcie_inbound_atomics_mask>, PcieAtomicsCapabilities>);
static_assert(std::is_same_v<FieldType<FieldId::perf_policy_power>, std::chrono::nanoseconds>);
static_assert(std::is_same_v<FieldType<FieldId::nvlink_get_data_rate>, Value>, "the header names no unit");
static_assert(std::is_same_v<GpmType<GpmMetricId::sm_util>, Quantity<unit::percent, double>>);

// `check` with the type of a kind of the generated tables, for a kind that is known when the program runs.
template <class Kind, std::size_t Count, class Check>
void with_type(Kind kind, Check&& check) {
  [&]<std::size_t... all>(std::index_sequence<all...>) {
    const auto one = [&]<std::size_t number>() {
      constexpr auto kEach = static_cast<Kind>(number + 1);  // 0 is none
      if (kind == kEach) check.template operator()<typename detail::IdType<kEach>::type>();
    };
    (one.template operator()<all>(), ...);
  }
  (std::make_index_sequence<Count>{});
}

constexpr std::size_t kFieldKinds = [] {
  std::size_t most = 0;
  for (const detail::FieldKind kind : detail::FieldKinds::by_id)
    most = std::max(most, static_cast<std::size_t>(kind));
  return most;
}();

TEST(TypedFields, EveryIdHasATypeAndWhatADriverAnswersFitsIt) {
  const Library library = open_simulated();
  const Device device = library.devices().at(0);
  unsigned fields = 0;
  unsigned answered = 0;
  std::set<detail::FieldKind> kinds;
  for (unsigned id = 1; id < std::size(detail::FieldKinds::by_id); ++id) {
    const auto field = static_cast<FieldId>(id);
    if (name_of(field).empty()) continue;
    const detail::FieldKind kind = detail::kind_of(field);
    EXPECT_NE(kind, detail::FieldKind::none) << name_of(field);
    kinds.insert(kind);
    ++fields;
    const auto value = device.field_values(field);
    if (!value) continue;
    ++answered;
    with_type<detail::FieldKind, kFieldKinds>(kind, [&]<class T>() {
      EXPECT_TRUE(detail::value_as<T>(value->value)) << name_of(field) << " " << unit_of(field);
      EXPECT_EQ(unit_of(field), unit_symbol<T>()) << name_of(field);
    });
  }
  EXPECT_EQ(kinds.size(), kFieldKinds);
  EXPECT_GE(fields, 300U);
  EXPECT_GE(answered, 100U);
  std::cout << fields << " fields of " << kinds.size() << " types, " << answered << " answered\n";
}

// Every other one is refused by the driver.
TEST(TypedFields, EveryIdKeepsItsTimeAndIsNamedByItsError) {
  Fake fake;
  fake.set<&Functions::nvmlDeviceGetFieldValues>(
      [at = 0](abi::nvmlDevice_t, int count, abi::nvmlFieldValue_t* values) mutable {
        for (int i = 0; i < count; ++i, ++at) {
          values[i].timestamp = 1'000 + at;
          values[i].latencyUsec = at;
          values[i].valueType = abi::NVML_VALUE_TYPE_UNSIGNED_INT;
          values[i].nvmlReturn = at % 2 == 0 ? abi::NVML_SUCCESS : abi::NVML_ERROR_NOT_SUPPORTED;
        }
        return abi::NVML_SUCCESS;
      });
  std::vector<Field> asked;
  for (const FieldId id : enumerators<FieldId>())
    asked.push_back({id});
  const auto values = device_of(fake).field_values(std::span<const Field>{asked});
  ASSERT_TRUE(values);
  ASSERT_EQ(values->size(), asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const FieldValue& value = (*values)[i];
    const std::string name{name_of(asked[i].id)};
    ASSERT_EQ(value.value.has_value(), i % 2 == 0) << name;
    if (value.value) {
      EXPECT_EQ(value.timestamp.time_since_epoch(), std::chrono::microseconds{1'000 + i}) << name;
      EXPECT_EQ(value.latency, std::chrono::microseconds{i}) << name;
    } else {
      ASSERT_NE(value.value.error().item(), nullptr) << name;
      EXPECT_EQ(value.value.error().item()->name, name);
      EXPECT_NE(value.value.error().message().find("field " + name), std::string::npos) << value.value.error();
    }
  }
  std::cout << asked.size() << " fields\n";
}

TEST(TypedFields, EveryMetricHasAType) {
  unsigned metrics = 0;
  for (unsigned id = 1; id < std::size(detail::GpmKinds::by_id); ++id) {
    if (name_of(static_cast<GpmMetricId>(id)).empty()) continue;
    EXPECT_NE(detail::kind_of(static_cast<GpmMetricId>(id)), detail::GpmKind::none) << id;
    ++metrics;
  }
  EXPECT_GE(metrics, 300U);
  std::cout << metrics << " metrics\n";
}

// Each of these has a getter of its own, whose unit NVIDIA's header names.
TEST(TypedFields, AgreeWithTheGetters) {
  const Device device = open_simulated().devices().at(0);
  EXPECT_EQ(device.field<FieldId::power_instant>()->value, device.power_usage());
  EXPECT_EQ(device.field<FieldId::power_current_limit>()->value, device.enforced_power_limit());
  EXPECT_EQ(device.field<FieldId::total_energy_consumption>()->value, device.total_energy_consumption());
  EXPECT_EQ(device.field<FieldId::pcie_replay_counter>()->value, device.pcie_replays());
  EXPECT_EQ(device.field<FieldId::nvlink_get_version>(0)->value, device.nvlink_version(0));
}

TEST(TypedFields, KeepTheTimeOfTheirMeasurement) {
  const auto sample = open_simulated().devices().at(0).field<FieldId::power_instant>();
  ASSERT_TRUE(sample);
  EXPECT_GT(sample->timestamp.time_since_epoch().count(), 0);
}

TEST(TypedFields, SeveralComeWithOneCall) {
  static unsigned calls = 0;
  Fake fake;
  fake.set<&Functions::nvmlDeviceGetFieldValues>([](abi::nvmlDevice_t, int count, abi::nvmlFieldValue_t* values) {
    ++calls;
    for (int i = 0; i < count; ++i) {
      values[i].nvmlReturn = values[i].fieldId == 82 ? abi::NVML_ERROR_NOT_SUPPORTED : abi::NVML_SUCCESS;
      values[i].valueType = abi::NVML_VALUE_TYPE_UNSIGNED_INT;
      values[i].value.uiVal = 70'000 + values[i].fieldId;
    }
    return abi::NVML_SUCCESS;
  });
  const auto now = device_of(fake).fields<FieldId::power_instant, FieldId::memory_temp, FieldId::power_average>();
  EXPECT_EQ(calls, 1U);
  EXPECT_EQ(now.get<FieldId::power_instant>()->value, Milliwatts{70'186});
  EXPECT_EQ(now.get<FieldId::power_average>()->value, Milliwatts{70'185});
  const auto refused = now.get<FieldId::memory_temp>();
  ASSERT_FALSE(refused);
  ASSERT_NE(refused.error().item(), nullptr);
  EXPECT_STREQ(refused.error().item()->name, "memory_temp");
  EXPECT_FALSE(now.values()[0].as<FieldId::memory_temp>()) << "it is another field's";
  const auto [instant, memory, average] = now;
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(memory)>, Result<FieldSample<Celsius>>>);
  EXPECT_EQ(instant->value, Milliwatts{70'186});
  EXPECT_FALSE(memory);
  EXPECT_EQ(average->value, Milliwatts{70'185});
}

TEST(TypedFields, ANumberThatTheTypeCannotHoldIsAnError) {
  FieldValue negative{{FieldId::power_instant}, Value{std::int64_t{-1}}};
  const auto read = negative.as<FieldId::power_instant>();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().origin(), Origin::binding);
  negative.field.id = FieldId::memory_temp;
  EXPECT_EQ(negative.as<FieldId::memory_temp>()->value, Celsius{-1});
}

TEST(TypedFields, AListInBracesIsAskedFor) {
  const auto values = open_simulated().devices().at(0).field_values(
      {FieldId::power_instant, FieldId::memory_temp, {FieldId::nvlink_throughput_data_tx, 1}});
  ASSERT_TRUE(values);
  EXPECT_EQ(values->size(), 3U);
  EXPECT_EQ((*values)[2].field.scope, 1U);
}

TEST(TypedMetrics, HaveTheirUnits) {
  Fake fake;
  fake.set<&Functions::nvmlGpmSampleAlloc>([](abi::nvmlGpmSample_t* sample) {
    *sample = reinterpret_cast<abi::nvmlGpmSample_t>(std::uintptr_t{0x20});
    return abi::NVML_SUCCESS;
  });
  fake.set<&Functions::nvmlGpmSampleFree>([](abi::nvmlGpmSample_t) { return abi::NVML_SUCCESS; });
  fake.set<&Functions::nvmlGpmMetricsGet>([](abi::nvmlGpmMetricsGet_t* asked) {
    for (unsigned i = 0; i < asked->numMetrics; ++i) {
      asked->metrics[i].value = asked->metrics[i].metricId + 0.5;
      asked->metrics[i].nvmlReturn = i == 1 ? abi::NVML_ERROR_NOT_SUPPORTED : abi::NVML_SUCCESS;
    }
    return abi::NVML_SUCCESS;
  });
  const auto sample = fake.library().create_gpm_sample();
  ASSERT_TRUE(sample);
  const auto metrics = fake.library().gpm<GpmMetricId::sm_util, GpmMetricId::pcie_tx_per_sec>(*sample, *sample);
  EXPECT_EQ(metrics.get<GpmMetricId::sm_util>(), (Quantity<unit::percent, double>{2.5}));
  const auto refused = metrics.get<GpmMetricId::pcie_tx_per_sec>();
  ASSERT_FALSE(refused);
  ASSERT_NE(refused.error().item(), nullptr);
  EXPECT_STREQ(refused.error().item()->name, "pcie_tx_per_sec");
  EXPECT_EQ(unit_of(GpmMetricId::pcie_tx_per_sec), "MiB/s");
}

TEST(BitErrorRates, AreMantissaAndExponent) {
  constexpr BitErrorRate kRate{0x50C};  // 5e-12
  EXPECT_EQ(kRate.mantissa(), 5U);
  EXPECT_EQ(kRate.exponent(), 12U);
  EXPECT_NEAR(kRate.value(), 5e-12, 1e-24);
}

}  // namespace
}  // namespace nvmlab::binding_test
