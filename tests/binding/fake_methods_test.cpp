// SPDX-License-Identifier: Apache-2.0
// Fakes by method: a typed answer, whichever version of a function the binding asks, and what was asked. Over all
// methods.
#include <gtest/gtest.h>

#include <concepts>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "nvmlab/nvml/fake.hpp"
#include "tests/binding/generated/fake_methods.hpp"
#include "tests/binding/support/typed_filler.hpp"

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
  static_cast<void>(fake.on<overload<>(&Device::accounting_pids)>(std::vector{7U, 8U, 9U}));
  const Device device{fake.library(), nullptr};
  EXPECT_EQ(device.name().value(), "NVIDIA Test");
  EXPECT_EQ(device.memory_info().value().used, Bytes{38});
  EXPECT_EQ(device.accounting_pids().value(), (std::vector{7U, 8U, 9U}));
}

TEST(FakeMethod, AnswersWithObjectsAndIsGoneNevertheless) {
  for (std::size_t i = 0; i < 2 * detail::kMostFakes; ++i) {
    Fake fake;
    auto* const handle = reinterpret_cast<abi::nvmlDevice_t>(0x10);
    const Device device{fake.library(), handle};
    static_cast<void>(fake.on<overload<unsigned>(&LibraryMethods::device)>(device));
    static_cast<void>(fake.on<overload<TopologyLevel>(&Device::topology_nearest_devices)>(std::vector{device, device}));
    EXPECT_EQ(fake.library().device(0).value(), device);
    EXPECT_EQ(device.topology_nearest_devices(TopologyLevel::node).value(), (std::vector{device, device}));
  }
}

template <auto Method, auto... Slots>
constexpr std::size_t ways(detail::Behind<Slots...> /*functions*/) {
  return (std::size_t{detail::RouteOf<decltype(Method), Slots>::can} + ...);
}
template <class T, class C, class... P>
C class_of(Result<T> (C::*)(P...) const);

// Calls a method of an object with these arguments.
template <class T, class C, class... P>
auto call(const Library& library, Result<T> (C::*method)(P...) const,
          std::tuple<std::remove_cvref_t<P>...>& arguments) {
  struct Object : C {
    using C::C;
  };
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
template <class T, class C, class... P>
std::tuple<std::remove_cvref_t<P>...> arguments_of(Result<T> (C::*)(P...) const, test::TypedFiller& filler) {
  return {filler.make<std::remove_cvref_t<P>>()...};  // in their order, which braces keep
}

// What does not come back as it was given, "name" of an answer and "name()" of arguments.
constexpr const char* kTellLess[] = {  // as the C layout does
    "ComputeInstance::info_v1",
    "Device::accounting_stats_v1",
    "Device::attributes_v1",
    "Device::conf_compute_protected_memory_usage",
    "Device::gpu_fabric_info_v1",
    "Device::gpu_fabric_info_v3",
    "Device::gpu_instance_profile_info",
    "Device::gpu_instance_profile_info_by_id",
    "Device::gpu_instance_profile_info_v1",
    "Device::gpu_instance_profile_info_v2",
    "Device::grid_licensable_features_v1",
    "Device::grid_licensable_features_v2",
    "Device::grid_licensable_features_v3",
    "Device::memory_info_v1",
    "Device::nvlink_info_v1",
    "Device::process_utilization",
    "Device::running_compute_processes",
    "Device::running_compute_processes_v1",
    "Device::running_compute_processes_v2",
    "Device::running_compute_processes_v3",
    "Device::running_graphics_processes",
    "Device::running_graphics_processes_v1",
    "Device::running_graphics_processes_v2",
    "Device::running_graphics_processes_v3",
    "Device::running_mps_compute_processes",
    "Device::running_mps_compute_processes_v1",
    "Device::running_mps_compute_processes_v2",
    "Device::running_mps_compute_processes_v3",
    "Device::set_vgpu_scheduler_state()",
    "Device::set_vgpu_scheduler_state_v1()",
    "Device::set_vgpu_scheduler_state_v2()",
    "Device::vgpu_process_utilization",
    "Device::vgpu_scheduler_log",
    "Device::vgpu_scheduler_state",
    "GpuInstance::compute_instance_profile_info_v1",
    "GpuInstance::set_vgpu_scheduler_state()",
    "GpuInstance::set_vgpu_scheduler_state_v1()",
    "GpuInstance::set_vgpu_scheduler_state_v2()",
    "GpuInstance::vgpu_scheduler_log",
    "GpuInstance::vgpu_scheduler_log_v1",
    "GpuInstance::vgpu_scheduler_log_v2",
    "GpuInstance::vgpu_scheduler_state",
    "GpuInstance::vgpu_scheduler_state_v1",
    "GpuInstance::vgpu_scheduler_state_v2",
    "VgpuInstance::accounting_stats",
    "VgpuInstance::license_info_v1"};
constexpr const char* kNameWhatWasAsked[] = {  // a part of the answer is an argument of the call
    "Device::accounting_stats",  "Device::accounting_stats_v2",     "Device::conf_compute_attestation_report",
    "Device::cooler_info",       "Device::nvlink_remap_table_info", "EventSet::context_info",
    "EventSet::wait_operational"};
constexpr const char* kHaveAPlaceForEach[] = {  // profile, and union of a controller, of those that C has
    "Device::perf_metrics_samples", "Device::workload_power_profiles_info"};

// What was found over all methods.
struct Found {
  unsigned methods = 0;
  unsigned by_value = 0;
  unsigned families = 0;
  unsigned covered = 0;
  unsigned versions = 0;        // of families, each alone in the library
  unsigned answers = 0;         // came back as they were given
  unsigned arguments = 0;       // were recorded as they were given
  std::set<std::string> other;  // came back otherwise
  std::string by_set;
};

template <class T>
concept HasParts = std::tuple_size_v<T> >
0;

// An object that is owned is another one than the one that was given, of the same handle.
template <class T>
bool same(const T& a, const T& b) {
  if constexpr (detail::IsObject<T>) {
    return a.handle() == b.handle();
  } else {
    return a == b;
  }
}
template <class... T>
bool same(const std::tuple<T...>& a, const std::tuple<T...>& b) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) { return (same(std::get<I>(a), std::get<I>(b)) && ...); }
  (std::index_sequence_for<T...>{});
}

template <auto Method>
void expect_answer(const std::string& name, Found& found) {
  using Of = detail::Signature<decltype(Method)>;
  using Value = typename Of::Value;
  Fake fake;
  test::TypedFiller filler{fake.library()};
  auto arguments = arguments_of(Method, filler);
  const auto given = arguments;
  const auto refused = fake.on<Method>(Return::gpu_is_lost);
  const auto answer = call(fake.library(), Method, arguments);
  EXPECT_FALSE(answer) << name;
  EXPECT_GE(refused.count(), 1U) << name;
  if (!answer) {
    EXPECT_EQ(answer.error().code(), Return::gpu_is_lost) << name;
  }
  if constexpr (HasParts<decltype(given)>) {
    if (refused.count() != 0 && same(refused.calls()[0].arguments, given)) {
      ++found.arguments;
    } else {
      found.other.insert(name + "()");
    }
  }
  if constexpr (std::is_void_v<Value>) {
    const auto done = fake.on<Method>();
    EXPECT_TRUE(call(fake.library(), Method, arguments)) << name;
    EXPECT_EQ(done.count(), 1U) << name;
    ++found.answers;
  } else {
    const Value value = filler.make<Value>();
    EXPECT_EQ(filler.unknown, 0U) << name << ": the filler knows not all of it";
    static_cast<void>(fake.on<Method>(value));
    const auto back = call(fake.library(), Method, arguments);
    if (back && same(*back, value)) {
      ++found.answers;
    } else {
      found.other.insert(back ? name : name + ": " + to_string(back.error().code()));
    }
  }
}

// With that function alone of a family's, as a library of its time has it.
template <auto Method, auto Slot, auto... Slots>
void expect_version(const std::string& name, Found& found) {
  using Value = typename detail::Signature<decltype(Method)>::Value;
  if constexpr (detail::RouteOf<decltype(Method), Slot>::can) {
    Fake fake;
    test::TypedFiller filler{fake.library()};
    auto arguments = arguments_of(Method, filler);
    const auto asked = [&] {
      if constexpr (std::is_void_v<Value>) {
        return fake.on<Method>();
      } else {
        return fake.on<Method>(filler.make<Value>());
      }
    }();
    const auto remove = [&]<auto Each> {
      if (detail::slot_offset(Each) != detail::slot_offset(Slot)) fake.remove<Each>();
    };
    (remove.template operator()<Slots>(), ...);
    const std::string function{detail::function_name(detail::slot_offset(Slot))};
    EXPECT_TRUE(call(fake.library(), Method, arguments)) << name << " by " << function;
    ASSERT_GE(asked.count(), 1U) << name << " by " << function;
    EXPECT_EQ(asked.calls()[0].function, function) << name;
    ++found.versions;
  }
}
template <auto... Slots>
constexpr std::size_t functions_in(detail::Behind<Slots...> /*functions*/) {
  return sizeof...(Slots);
}
template <auto Method, auto... Slots>
void expect_versions(const std::string& name, Found& found, detail::Behind<Slots...> /*functions*/) {
  (expect_version<Method, Slots, Slots...>(name, found), ...);
}

// Of a family every method leads to the fake, its own and those of single versions that can tell the answer; arguments
// and answers come through as they were given.
TEST(FakeMethod, CoversTheFamilies) {
  Found found;
  for_each_method([&]<auto Method>(const char* name, unsigned functions) {
    using Functions = typename detail::FunctionsOf<Method>::type;
    constexpr std::size_t count = ways<Method>(Functions{});
    const bool several = functions > 1;
    ++found.methods;
    found.families += several ? 1 : 0;
    if constexpr (count > 0) {
      ++found.by_value;
      found.covered += several ? 1 : 0;
      expect_answer<Method>(name, found);
      if constexpr (functions_in(Functions{}) > 1) {  // for single functions it would only take time to compile
        if (several) expect_versions<Method>(name, found, Functions{});
      }
    } else {
      found.by_set += std::string{" "} + name;
    }
  });
  std::cout << found.by_value << " of " << found.methods << " methods can be answered by value, " << found.covered
            << " of " << found.families << " of functions with several versions or names (" << found.versions
            << " functions, each alone); " << found.answers << " answers and " << found.arguments
            << " lists of arguments came through as they were given; the others by set():" << found.by_set << '\n';
  EXPECT_GE(found.by_value, 424U);
  EXPECT_GE(found.covered, 31U);
  EXPECT_GE(found.versions, 69U);
  EXPECT_GE(found.answers, 370U);
  EXPECT_GE(found.arguments, 170U);
  std::set<std::string> expected(std::begin(kTellLess), std::end(kTellLess));
  expected.insert(std::begin(kNameWhatWasAsked), std::end(kNameWhatWasAsked));
  expected.insert(std::begin(kHaveAPlaceForEach), std::end(kHaveAPlaceForEach));
  EXPECT_EQ(found.other, expected);
}

}  // namespace
}  // namespace nvml
