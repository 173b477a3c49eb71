// SPDX-License-Identifier: Apache-2.0
// One name for a thing, with every driver: whatever versions and former names a function has, the method without a
// number answers where a library has any of them. The families are those of the generated calls, so all there are.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/binding/generated/method_calls.hpp"
#include "tests/binding/support/simulated.hpp"
#include "tests/support/files.hpp"

namespace nvml::all_methods {
namespace {

// The drivers of which each has at least one family's oldest, a middle and the newest name.
constexpr std::string_view kDrivers[] = {"418", "470", "535", "580", "615"};

struct OneName {
  std::vector<const Call*> calls;   // of this name: its overloads
  std::set<std::string> functions;  // behind it
  bool command = true;
};

std::map<std::string, OneName> families(const Calls& calls) {
  std::map<std::string, OneName> all;
  for (const Call& call : calls) {
    OneName& name = all[call.method];
    name.calls.push_back(&call);
    name.functions.insert(call.function);
    name.command = name.command && call.kind == Kind::command;
  }
  std::erase_if(all, [](const auto& each) { return each.second.functions.size() < 2; });
  return all;
}

bool knows_not(Return answer) {
  return answer == Return::function_not_found || answer == Return::argument_version_mismatch;
}

// By any overload: the one into the caller's memory has the newest layout alone.
bool is_known(const OneName& name, const Subjects& subjects) {
  return std::ranges::any_of(name.calls, [&](const Call* call) { return !knows_not(call->answer(subjects)); });
}

bool has_any(const Library& library, const OneName& name) {
  return std::ranges::any_of(name.functions, [&](const std::string& each) { return library.has(each); });
}

// Everything that a board can have, so that a method is refused for the driver's age alone.
class OneNameTest : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    const auto folder = nvmlab::test::binary_folder() / "lib";
    library_ = folder / "drivers" / GetParam() / "libnvidia-ml.so.1";
    if (!exists(library_) || !exists(folder / "libnvmlab-compiler.so")) GTEST_SKIP() << library_ << " is not built";
    const auto profile = nvmlab::test::source_folder() / "tests/drivers/functions/profiles/everything.yaml";
    setenv("NVMLAB_PROFILE", profile.c_str(), 1);
    setenv("NVMLAB_GPUS", "2", 1);
  }
  void TearDown() override {
    unsetenv("NVMLAB_PROFILE");
    unsetenv("NVMLAB_GPUS");
  }
  std::filesystem::path library_;
};

TEST_P(OneNameTest, AnswersWhereAnyFunctionBehindItIsThere) {
  const auto library = Library::open({.path = library_.string()});
  ASSERT_TRUE(library) << library.error().message();
  if (const unsigned count = library->device_count().value_or(0); count > 1)
    static_cast<void>(library->device(count - 1)->set_mig_mode(true));  // not with drivers before MIG
  const Subjects subjects = Subjects::real(*library);
  const Calls calls = all_calls();
  unsigned answered = 0;
  for (const bool commands : {false, true}) {  // what is removed or reset last
    for (const auto& [method, name] : families(calls)) {
      if (name.command != commands || !has_any(*library, name)) continue;
      try {
        EXPECT_TRUE(is_known(name, subjects))
            << method << " of driver " << GetParam() << ", which has one of " << testing::PrintToString(name.functions);
        ++answered;
      } catch (const Absent&) {  // no vGPU, no part of a GPU
      }
    }
  }
  EXPECT_GE(answered, 15U);
  std::cout << answered << " names of " << families(calls).size() << " answered\n";
}

INSTANTIATE_TEST_SUITE_P(Drivers, OneNameTest, testing::ValuesIn(kDrivers),
                         [](const auto& driver) { return std::string{driver.param}; });

TEST(OneName, IsThatOfEveryFunctionThatWasRenamed) {
  const auto all = families(all_calls());
  for (const auto& [method, formerly] :
       {std::pair{"Device::current_clocks_event_reasons", "CurrentClocksThrottleReasons"},
        {"Device::supported_clocks_event_reasons", "SupportedClocksThrottleReasons"},
        {"Library::excluded_device_count", "BlacklistDeviceCount"},
        {"Library::excluded_device_info", "BlacklistDeviceInfoByIndex"}}) {
    ASSERT_TRUE(all.contains(method)) << method;
    EXPECT_TRUE(std::ranges::any_of(all.at(method).functions, [&](const std::string& each) {
      return each.ends_with(formerly);
    })) << method;
  }
}

}  // namespace
}  // namespace nvml::all_methods
