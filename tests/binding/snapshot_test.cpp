// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/snapshot.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "nvmlab/nvml.hpp"
#include "nvmlab/nvml/generated/return.hpp"
#include "nvmlab/nvml/json.hpp"
#include "nvmlab/nvml/reflect.hpp"
#include "tests/binding/generated/reflected.hpp"
#include "tests/binding/support/simulated.hpp"

namespace nvml {
namespace {

TEST(Snapshot, HasWhatTheGettersAnswer) {
  const Library library = nvmlab::binding_test::open_simulated();
  const Device device = library.devices().at(1);
  const Snapshot now = snapshot(device);
  EXPECT_EQ(now.name, device.name());
  EXPECT_EQ(now.uuid, device.uuid());
  EXPECT_EQ(now.memory_info, device.memory_info());
  EXPECT_EQ(now.power_management_limit, device.power_management_limit());
  EXPECT_EQ(now.pci_info, device.pci_info());
  ASSERT_FALSE(now.fan_speed);
  EXPECT_EQ(now.fan_speed.error().code(), Return::not_supported) << "an SXM board has no fan";
}

TEST(Snapshot, VisitsEachMemberOnce) {
  const Snapshot now = snapshot(nvmlab::binding_test::open_simulated().devices().at(0));
  std::set<std::string, std::less<>> names;
  unsigned answered = 0;
  now.for_each([&](std::string_view name, const auto& answer) {
    EXPECT_TRUE(names.emplace(name).second) << name;
    if (answer) {
      ++answered;
    } else {
      EXPECT_EQ(answer.error().origin(), Origin::driver) << name << ": " << answer.error().message();
    }
  });
  EXPECT_GE(names.size(), 120U);
  EXPECT_GE(answered, 60U);
}

TEST(Snapshot, OfALibraryWithoutFunctionsIsAllErrors) {
  const Library empty = Library::from_table(Functions{});
  const Snapshot nothing = snapshot(Device{empty.library(), nullptr});
  nothing.for_each([](std::string_view name, const auto& answer) {
    ASSERT_FALSE(answer) << name;
    EXPECT_EQ(answer.error().origin(), Origin::symbol) << name;
  });
}

// What a raw call answers to each value of the argument, where that is a number.
template <auto Slot, class C, class Key, class T>
void expect_as_raw(const Device& device, const ByKey<Key, T>& answers) {
  EXPECT_EQ(answers.size(), enumerators<Key>().size());
  for (const auto& [key, answer] : answers) {
    unsigned value = 0;
    const auto code = (device.functions().*Slot)(device.handle(), static_cast<C>(key), &value);
    ASSERT_EQ(answer.has_value(), code == abi::NVML_SUCCESS) << name_of(key);
    if (answer) {
      EXPECT_EQ(static_cast<unsigned>(answer->count()), value) << name_of(key);
    } else {
      EXPECT_EQ(static_cast<abi::nvmlReturn_t>(answer.error().code()), code) << name_of(key);
    }
  }
}

TEST(Snapshot, HasWhatRawCallsAnswerToEachArgument) {
  const Library library = nvmlab::binding_test::open_simulated();
  const Device device = library.devices().at(1);
  const Snapshot now = snapshot(device);
  expect_as_raw<&Functions::nvmlDeviceGetTemperature, abi::nvmlTemperatureSensors_t>(device, now.temperature);
  expect_as_raw<&Functions::nvmlDeviceGetTemperatureThreshold, abi::nvmlTemperatureThresholds_t>(
      device, now.temperature_threshold);
  expect_as_raw<&Functions::nvmlDeviceGetClockInfo, abi::nvmlClockType_t>(device, now.clock_info);
  expect_as_raw<&Functions::nvmlDeviceGetMaxClockInfo, abi::nvmlClockType_t>(device, now.max_clock_info);
  EXPECT_TRUE(now.temperature[TemperatureSensor::gpu]);
  unsigned members = 0;
  unsigned answered = 0;
  now.for_each_keyed([&]<class Key, class T>(std::string_view name, const ByKey<Key, T>& answers) {
    ++members;
    EXPECT_EQ(answers.size(), enumerators<Key>().size()) << name;
    for (const auto& each : answers)
      answered += each.second ? 1 : 0;
  });
  EXPECT_GE(members, 12U);
  EXPECT_GE(answered, 20U);
}

// A library that counts its calls.
unsigned calls = 0;
abi::nvmlReturn_t power(abi::nvmlDevice_t, unsigned* milliwatts) {
  ++calls;
  *milliwatts = 70'210;
  return abi::NVML_SUCCESS;
}
abi::nvmlReturn_t temperature(abi::nvmlDevice_t, abi::nvmlTemperatureSensors_t, unsigned* celsius) {
  ++calls;
  *celsius = 41;
  return abi::NVML_SUCCESS;
}

TEST(Snapshot, AsksForWhatWasChosenAlone) {
  Functions functions;
  functions.nvmlDeviceGetPowerUsage = power;
  functions.nvmlDeviceGetTemperature = temperature;
  const Library library = Library::from_table(functions);
  const Device device{library.library(), nullptr};
  calls = 0;
  const Snapshot power_alone = snapshot(device, {SnapshotMember::power_usage});
  EXPECT_EQ(calls, 1U);
  EXPECT_EQ(power_alone.power_usage, Milliwatts{70'210});
  EXPECT_EQ(power_alone.temperature.size(), 0U);
  EXPECT_EQ(power_alone.temperature[TemperatureSensor::gpu].error().origin(), Origin::binding);
  EXPECT_EQ(power_alone.name.error().origin(), Origin::binding) << "nobody asked for it";
  EXPECT_EQ(to_json(power_alone), R"({"power_usage":{"value":70210,"unit":"mW"},"errors":{}})");
  calls = 0;
  const Snapshot both = snapshot(device, {SnapshotMember::temperature, SnapshotMember::power_usage});
  EXPECT_EQ(calls, 1U + enumerators<TemperatureSensor>().size());
  EXPECT_EQ(both.temperature[TemperatureSensor::gpu], Celsius{41});
  EXPECT_EQ(to_json(both), R"({"power_usage":{"value":70210,"unit":"mW"},"temperature":{"gpu":{"value":41,"unit":"C"},)"
                           R"("gpu_max":{"value":41,"unit":"C"}},"errors":{}})");
}

// Every struct and every enumeration that nvmlgen makes.
TEST(Reflection, VisitsEveryMemberAndEveryEnumerator) {
  unsigned structs = 0;
  unsigned members = 0;
  for_each_struct([&]<class T>(std::string_view type, unsigned expected) {
    std::set<std::string, std::less<>> names;
    for_each_member(T{}, [&](std::string_view name, const auto&) { names.emplace(name); });
    EXPECT_EQ(names.size(), expected) << type;
    ++structs;
    members += expected;
    EXPECT_TRUE(to_json(T{}).starts_with('{')) << type;
  });
  unsigned enums = 0;
  unsigned values = 0;
  for_each_enum([&]<class Enum>(std::string_view type, unsigned expected) {
    std::set<Enum> seen;
    for (const Enum each : enumerators<Enum>()) {
      EXPECT_NE(name_of(each), "") << type;
      EXPECT_TRUE(seen.insert(each).second) << type << " " << name_of(each);
    }
    EXPECT_EQ(seen.size(), expected) << type;
    ++enums;
    values += expected;
  });
  EXPECT_GE(structs, 100U);
  EXPECT_GE(enums, 90U);
  std::cout << structs << " structs with " << members << " members, " << enums << " enumerations with " << values
            << " values\n";
}

TEST(Json, HasEachKindOfValue) {
  EXPECT_EQ(to_json(Milliwatts{70'210}), R"({"value":70210,"unit":"mW"})");
  EXPECT_EQ(to_json(std::chrono::milliseconds{5}), R"({"value":5,"unit":"ms"})");
  EXPECT_EQ(to_json(EccCounterType::volatile_), R"("volatile")");
  EXPECT_EQ(to_json(static_cast<Brand>(777)), "777") << "a number that nobody has a name for";
  EXPECT_EQ(to_json(ClocksEventReasons{ClocksEventReason::gpu_idle | ClocksEventReason::sw_power_cap}),
            R"(["gpu_idle","sw_power_cap"])");
  EXPECT_EQ(to_json(std::string{"a \"b\"\n"}), R"("a \"b\"\u000a")");
  EXPECT_EQ(to_json(std::vector<std::optional<unsigned>>{1, std::nullopt}), "[1,null]");
  Memory memory;
  memory.total = Bytes{3};
  EXPECT_EQ(
      to_json(memory),
      R"({"total":{"value":3,"unit":"B"},"reserved":null,"free":{"value":0,"unit":"B"},"used":{"value":0,"unit":"B"}})");
}

// A driver may put any bytes into a text.
TEST(Json, IsUtf8WhateverTheTextHolds) {
  EXPECT_EQ(to_json(std::string{"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"}),
            "\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"");
  EXPECT_EQ(to_json(std::string{"a\xFFz"}), R"("a\ufffdz")");
  EXPECT_EQ(to_json(std::string{"cut \xE2\x82"}), R"("cut \ufffd\ufffd")");
  EXPECT_EQ(to_json(std::string{"\xC0\xAF"}), R"("\ufffd\ufffd")") << "overlong";
  EXPECT_EQ(to_json(std::string{"\xED\xA0\x80"}), R"("\ufffd\ufffd\ufffd")") << "a surrogate";
  EXPECT_EQ(to_json(std::string{"\xF4\x90\x80\x80"}), R"("\ufffd\ufffd\ufffd\ufffd")") << "beyond Unicode";
}

TEST(Json, OfADeviceIsOneCall) {
  const std::string json = to_json(snapshot(nvmlab::binding_test::open_simulated().devices().at(1)));
  EXPECT_NE(json.find(R"("name":"NVIDIA)"), std::string::npos);
  EXPECT_NE(json.find(R"("fan_speed":null)"), std::string::npos);
  EXPECT_NE(json.find(R"("fan_speed":"Not Supported")"), std::string::npos) << "among the errors";
  int depth = 0;  // brackets of a text that has none in its strings
  for (const char c : json)
    depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
  EXPECT_EQ(depth, 0);
  EXPECT_EQ(json.front(), '{');
  EXPECT_EQ(json.back(), '}');
}

}  // namespace
}  // namespace nvml
