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
