// SPDX-License-Identifier: Apache-2.0
// The methods that a fake answers by functions of C alone, each with its reason. All others it answers by value:
// fake_methods_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <string>
#include <string_view>

#include "nvmlab/nvml/fake.hpp"
#include "tests/binding/generated/fake_methods.hpp"

namespace nvml {
namespace {

struct Exception {
  std::string_view method;
  std::string_view reason;
};

constexpr std::string_view kEachItsOwn = "each of the things that are asked for together has an answer of its own";
constexpr std::string_view kTwoCalls = "the first of two calls says how long the lists within its struct are";
constexpr std::string_view kGiven = "what is given goes into a struct that holds more than that";

constexpr Exception kExceptions[] = {
    {"Device::clear_field_values", kEachItsOwn},
    {"Device::dram_encryption_mode", "current and pending are structs of one member each"},
    {"Device::field_values", kEachItsOwn},
    {"Device::gsp_firmware_version", "C does not say how much room there is for the text"},
    {"Device::nvlink_telemetry_samples", kEachItsOwn},
    {"Device::read_prm_counters", kEachItsOwn},
    {"Device::read_write_prm", kGiven},
    {"Device::retired_pages_with_times", "two arrays become one list"},
    {"Device::samples", "the type of the values is told beside them"},
    {"Device::set_hostname", kGiven},
    {"Device::set_memory_limits", kGiven},
    {"Device::set_mig_mode", "C answers twice: whether the mode was taken, and whether it is in force"},
    {"Device::vgpu_instances_utilization", kTwoCalls},
    {"Device::vgpu_type_creatable_placements", kTwoCalls},
    {"Device::vgpu_type_supported_placements", kTwoCalls},
    {"Device::vgpu_utilization", "the type of the values is told beside them"},
    {"EventSet::wait", "an event has a Device, which a fake cannot make without its library"},
    {"EventSet::wait_v1", "an event has a Device, which a fake cannot make without its library"},
    {"EventSet::wait_v2", "an event has a Device, which a fake cannot make without its library"},
    {"GpuInstance::vgpu_type_creatable_placements", kTwoCalls},
    {"Library::cper", "records come one by one, with a cursor between the calls"},
    {"Library::create_system_event_set", "the handle is a member of a request"},
    {"Library::driver_branch", "the room for the text goes beside the struct that it is in"},
    {"Library::error_string", "the function answers a text of its own and no code"},
    {"Library::gpm_metrics", kEachItsOwn},
    {"Library::vgpu_compatibility", kGiven},
    {"Library::vgpu_version", "supported and current are structs of their own"},
    {"VgpuInstance::gpu_instance_id", "the number that means none is the function's, not its type's"},
    {"VgpuType::gpu_instance_profile_id", "the number that means none is the function's, not its type's"},
};

template <auto Method, auto... Slots>
constexpr bool by_value(detail::Behind<Slots...> /*functions*/) {
  return (detail::RouteOf<decltype(Method), Slots>::can || ...);
}

TEST(FakeExceptions, AreAllThatThereAre) {
  unsigned methods = 0;
  unsigned answered = 0;
  unsigned families = 0;
  unsigned covered = 0;
  std::set<std::string_view> excepted;
  for_each_method([&]<auto Method>(const char* name, unsigned functions) {
    constexpr bool kByValue = by_value<Method>(typename detail::FunctionsOf<Method>::type{});
    const bool several = functions > 1;
    ++methods;
    families += several ? 1 : 0;
    answered += kByValue ? 1 : 0;
    covered += several && kByValue ? 1 : 0;
    const bool reason = std::ranges::find(kExceptions, name, &Exception::method) != std::end(kExceptions);
    EXPECT_NE(kByValue, reason) << name << (kByValue ? " is no exception" : " has no reason");
    if (!kByValue) excepted.insert(name);
  });
  EXPECT_EQ(excepted.size(), std::size(kExceptions));
  std::cout << answered << " of " << methods << " methods can be answered by value, " << covered << " of " << families
            << " of functions with several versions or names; " << excepted.size() << " names have a reason why not\n";
}

}  // namespace
}  // namespace nvml
