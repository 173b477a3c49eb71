// SPDX-License-Identifier: Apache-2.0
// Fakes by method: a typed answer, whichever version of a function the binding asks, and what was asked. Over all
// methods.
#include <gtest/gtest.h>

#include <cstring>
#include <iostream>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "nvmlab/nvml/fake.hpp"
#include "tests/binding/generated/fake_methods.hpp"

namespace nvml {
namespace {

TEST(FakeMethod, AnswersWithAValue) {
  Fake fake;
  const auto power = fake.on<&Device::power_usage>(Milliwatts{250'000});
  const Device device{fake.library(), nullptr};
  EXPECT_EQ(device.power_usage().value(), Milliwatts{250'000});
  ASSERT_EQ(power.count(), 1U);
  EXPECT_EQ(power.calls()[0].function, "nvmlDeviceGetPowerUsage");
}

TEST(FakeMethod, TellsWhichDeviceWasAskedForWhat) {
  Fake fake;
  const auto limit = fake.on<&Device::set_temperature_threshold>(Return::no_permission);
  auto* const handle = reinterpret_cast<abi::nvmlDevice_t>(0x10);
  const Device device{fake.library(), handle};
  const auto answer = device.set_temperature_threshold(TemperatureThreshold::acoustic_current, Celsius{70});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Return::no_permission);
  ASSERT_EQ(limit.count(), 1U);
  EXPECT_EQ(limit.calls()[0].handle, handle);
  EXPECT_EQ(std::get<0>(limit.calls()[0].arguments), TemperatureThreshold::acoustic_current);
  EXPECT_EQ(std::get<1>(limit.calls()[0].arguments), Celsius{70});
}

TEST(FakeMethod, AnswersWithAFunctionOfTheCall) {
  Fake fake;
  Celsius now{40};
  const auto asked = fake.on<&Device::temperature>([&](const auto& /*call*/) -> Result<Celsius> { return now; });
  const Device device{fake.library(), nullptr};
  EXPECT_EQ(device.temperature(TemperatureSensor::gpu).value(), Celsius{40});
  now = Celsius{90};
  EXPECT_EQ(device.temperature(TemperatureSensor::gpu).value(), Celsius{90});
  EXPECT_EQ(asked.count(), 2U);
}

// The finding: a fake of the older function was passed by where the library has the newer one.
TEST(FakeMethod, IsNotPassedByForANewerVersion) {
  Fake fake;
  fake.set_answer<&Functions::nvmlDeviceGetTemperatureV>(Return::gpu_is_lost);
  static_cast<void>(fake.on<&Device::temperature>(Celsius{55}));
  EXPECT_EQ((Device{fake.library(), nullptr}.temperature(TemperatureSensor::gpu).value()), Celsius{55});
}

TEST(FakeMethod, AnswersTextsListsAndStructs) {
  Fake fake;
  static_cast<void>(fake.on<&Device::name>(std::string{"NVIDIA Test"}));
  static_cast<void>(fake.on<&Device::memory_info>(
      Memory{.total = Bytes{80}, .reserved = Bytes{2}, .free = Bytes{40}, .used = Bytes{38}}));
  static_cast<void>(
      fake.on<static_cast<Result<std::vector<unsigned>> (DeviceMethods::*)() const>(&Device::accounting_pids)>(
          std::vector{7U, 8U, 9U}));
  const Device device{fake.library(), nullptr};
  EXPECT_EQ(device.name().value(), "NVIDIA Test");
  EXPECT_EQ(device.memory_info().value().used, Bytes{38});
  EXPECT_EQ(device.accounting_pids().value(), (std::vector{7U, 8U, 9U}));
}

template <auto Method, auto... Slots>
constexpr std::size_t ways(detail::Behind<Slots...> /*functions*/) {
  return (std::size_t{detail::RouteOf<decltype(Method), Slots>::can} + ...);
}
template <class T, class C, class... P>
C class_of(Result<T> (C::*)(P...) const);

// Of no value; objects that are owned cannot be made of nothing.
template <class P>
P argument(const Library& library) {
  if constexpr (std::is_default_constructible_v<P>) {
    return P{};
  } else {
    return P{library.library(), nullptr};
  }
}

// Calls a method of an object without a handle, with arguments of no value.
template <class T, class C, class... P>
auto call(const Library& library, Result<T> (C::*method)(P...) const) {
  struct Object : C {
    using C::C;
  };
  std::tuple<std::remove_cvref_t<P>...> arguments{argument<std::remove_cvref_t<P>>(library)...};
  return std::apply(
      [&](auto&... each) {
        if constexpr (std::is_base_of_v<LibraryMethods, C>) {
          return (library.*method)(static_cast<P>(each)...);
        } else {
          return (Object{library, {}}.*method)(static_cast<P>(each)...);
        }
      },
      arguments);
}

template <auto Method>
void expect_answer(const char* name) {
  using Value = typename detail::Signature<decltype(Method)>::Value;
  Fake fake;
  const auto refused = fake.on<Method>(Return::gpu_is_lost);
  const auto answer = call(fake.library(), Method);
  EXPECT_FALSE(answer) << name;
  EXPECT_GE(refused.count(), 1U) << name;
  if (!answer) {
    EXPECT_EQ(answer.error().code(), Return::gpu_is_lost) << name;
  }
  if constexpr (std::is_void_v<Value>) {
    const auto done = fake.on<Method>();
    EXPECT_TRUE(call(fake.library(), Method)) << name;
    EXPECT_EQ(done.count(), 1U) << name;
  } else if constexpr (std::is_default_constructible_v<Value>) {
    const auto asked = fake.on<Method>(Value{});
    EXPECT_TRUE(call(fake.library(), Method)) << name;
    EXPECT_GE(asked.count(), 1U) << name;
  }
}

// Of a family every method leads to the fake, its own and those of single versions that can tell the answer.
TEST(FakeMethod, CoversTheFamilies) {
  unsigned methods = 0;
  unsigned by_value = 0;
  unsigned families = 0;
  unsigned covered = 0;
  std::string others;
  for_each_method([&]<auto Method>(const char* name, unsigned functions) {
    constexpr std::size_t count = ways<Method>(typename detail::FunctionsOf<Method>::type{});
    const bool several = functions > 1;
    ++methods;
    families += several ? 1 : 0;
    if constexpr (count > 0) {
      ++by_value;
      covered += several ? 1 : 0;
      if constexpr (requires { call(std::declval<const Library&>(), Method); }) expect_answer<Method>(name);
    } else {
      others += std::string{" "} + name;
    }
  });
  std::cout << by_value << " of " << methods << " methods can be answered by value, " << covered << " of " << families
            << " of functions with several versions or names; the others by set():" << others << '\n';
  EXPECT_GE(by_value, 380U);
  EXPECT_GE(covered, 30U);
}

}  // namespace
}  // namespace nvml
