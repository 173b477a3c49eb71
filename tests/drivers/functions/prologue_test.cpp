// SPDX-License-Identifier: Apache-2.0
//
// What every function does before it does anything of its own, tried on every function with arguments that a careful
// caller could pass: initialised, present in the driver, null pointers, handles. Each function runs in a child of its
// own, between guard pages. tests/drivers/abi/prologue_test.cpp looks at the same from a stranger's side.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/drivers/functions/support/arguments.hpp"

namespace nvmlab::driver_test {
namespace {

class Prologue : public testing::Test {
 protected:
  const Driver& driver = Driver::get();
  Environment newest{{"NVMLAB_DRIVER", Api::kNewestDriver}};

  // Every function in a child that says what is wrong, or nothing.
  static void for_every(const std::function<std::string(const FunctionFacts&)>& check) {
    ASSERT_GT(Api::get().functions().size(), 413U);
    for (const FunctionFacts& function : Api::get().functions()) {
      if (function.before_init() || !function.in_driver(Api::kNewestDriver)) continue;
      EXPECT_EQ(in_child([&] { return check(function); }), "") << function.name;
    }
  }

  static std::string expect(const Arguments& arguments, int expected, const std::string& what) {
    const int code = arguments.call();
    if (code != expected) return fmt::format("{} answered {} in place of {}; ", what, code, expected);
    return arguments.changed() ? what + " wrote; " : "";
  }
};

TEST_F(Prologue, UninitializedBeforeInitWhateverTheArgumentsAre) {
  for_every([](const FunctionFacts& function) {
    Arguments arguments(function, 0x1234);
    std::string said = expect(arguments, kUninitialized, "with good arguments");
    arguments.words = {};
    return said + expect(arguments, kUninitialized, "with zeroes");
  });
}

TEST_F(Prologue, UninitializedAgainAfterTheLastShutdown) {
  ASSERT_EQ(driver.init(), kSuccess);
  const Word device = driver.device(0);
  ASSERT_EQ(driver.shutdown(), kSuccess);
  for_every([device](const FunctionFacts& function) {
    return expect(Arguments(function, device), kUninitialized, "after shutdown");
  });
}

// Those that a simulated driver does not have, because it is too old or because they went.
TEST_F(Prologue, FunctionsThatTheDriverDoesNotHaveAreNotFound) {
  for (const std::string version :
       {"340.108", "470.256.02", "525.147.05", "535.86.10", "550.163.01", "580.105.08", "999.0"}) {
    const Environment chosen{{"NVMLAB_DRIVER", version}};
    ASSERT_EQ(driver.init(), kSuccess) << version;
    unsigned missing = 0;
    for (const FunctionFacts& function : Api::get().functions()) {
      if (function.before_init() || function.in_driver(version)) continue;
      ++missing;
      Arguments arguments(function, driver.device(0));
      EXPECT_EQ(expect(arguments, kFunctionNotFound, "good arguments"), "") << function.name << " on " << version;
      arguments.words = {};
      EXPECT_EQ(arguments.call(), kFunctionNotFound) << function.name << "(0...) on " << version;
    }
    EXPECT_GE(missing, version < "580" ? 60U : 2U) << version;
    ASSERT_EQ(driver.shutdown(), kSuccess);
  }
}

TEST_F(Prologue, AnyOneNullPointerIsAnInvalidArgument) {
  ASSERT_EQ(driver.init(), kSuccess);
  for_every([this](const FunctionFacts& function) {
    std::string said;
    Arguments arguments(function, driver.device(0));
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      const ParameterFacts& parameter = function.parameters[i];
      if (!parameter.is_pointer() || parameter.optional) continue;
      arguments.reset();
      arguments.words.at(i) = 0;
      said += expect(arguments, kInvalidArgument, "null for " + parameter.name);
    }
    return said;
  });
  EXPECT_EQ(driver.shutdown(), kSuccess);
}

TEST_F(Prologue, AllPointersNullAreAnInvalidArgument) {
  ASSERT_EQ(driver.init(), kSuccess);
  for_every([this](const FunctionFacts& function) -> std::string {
    Arguments arguments(function, driver.device(0));
    bool pointers = false;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      if (!function.parameters[i].is_pointer()) continue;
      arguments.words.at(i) = 0;
      pointers = true;
    }
    return pointers ? expect(arguments, kInvalidArgument, "null everywhere") : "";
  });
  EXPECT_EQ(driver.shutdown(), kSuccess);
}

// A pointer that may be null is no crash when it is.
TEST_F(Prologue, OptionalPointersMayBeNull) {
  ASSERT_EQ(driver.init(), kSuccess);
  unsigned optional = 0;
  for (const FunctionFacts& function : Api::get().functions()) {
    for (const ParameterFacts& parameter : function.parameters)
      optional += parameter.optional ? 1 : 0;
  }
  EXPECT_GT(optional, 15U);
  for_every([this](const FunctionFacts& function) {
    std::string said;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      if (!function.parameters[i].optional) continue;
      Arguments arguments(function, driver.device(0));
      arguments.words.at(i) = 0;
      const int code = arguments.call();
      if (code == kUninitialized || code == kFunctionNotFound || code == kUnknown)
        said += fmt::format("{} without {}; ", code, function.parameters[i].name);
    }
    return said;
  });
  EXPECT_EQ(driver.shutdown(), kSuccess);
}

TEST_F(Prologue, ForeignAndDamagedDevicesAreRecognised) {
  ASSERT_EQ(driver.init(), kSuccess);
  const Word good = driver.device(0);
  ASSERT_NE(good, 0U);
  unsigned checked = 0;
  for (const FunctionFacts& function : Api::get().functions()) {
    for (const ParameterFacts& parameter : function.parameters)
      checked += parameter.role == Role::device ? 1 : 0;
  }
  EXPECT_GE(checked, 250U);
  for_every([good](const FunctionFacts& function) {
    std::string said;
    int stack = 0;
    std::vector<Word> bad = {0, 1, 0xDEADBEEF, ~Word{0}, reinterpret_cast<Word>(&stack), good + 1, good - 1};
    for (unsigned bit = 0; bit < 64; ++bit)
      bad.push_back(good ^ Word{1} << bit);
    Arguments arguments(function, good);
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      if (function.parameters[i].role != Role::device) continue;
      for (const Word handle : bad) {
        arguments.words.at(i) = handle;
        said += expect(arguments, kInvalidArgument, fmt::format("{:#x} for {}", handle, function.parameters[i].name));
        if (said.size() > 300) return said;
      }
      arguments.words.at(i) = good;
    }
    return said;
  });
  EXPECT_EQ(driver.shutdown(), kSuccess);
}

// A handle of a machine with more GPUs, or of an earlier one, names nothing in this one.
TEST_F(Prologue, HandlesOfAnotherMachineAreStale) {
  Word last = 0;
  {
    const Environment many{{"NVMLAB_GPUS", "64"}};
    ASSERT_EQ(driver.init(), kSuccess);
    last = driver.device(63);
    ASSERT_NE(last, 0U);
    ASSERT_EQ(driver.shutdown(), kSuccess);
  }
  ASSERT_EQ(driver.init(), kSuccess);
  unsigned index = 77;
  EXPECT_EQ(driver.call("nvmlDeviceGetIndex", last, &index), kInvalidArgument);
  EXPECT_EQ(index, 77U);
  EXPECT_EQ(driver.shutdown(), kSuccess);
}

TEST_F(Prologue, AFreedEventSetIsStaleAndADamagedOneForeign) {
  ASSERT_EQ(driver.init(), kSuccess);
  const Word device = driver.device(0);
  Word set = 0;
  ASSERT_EQ(driver.call("nvmlEventSetCreate", &set), kSuccess);
  std::array<std::uint64_t, 8> data{};
  const auto refused = [&](Word handle) {
    EXPECT_EQ(driver.call("nvmlEventSetWait_v2", handle, data.data(), 0), kInvalidArgument) << std::hex << handle;
    EXPECT_EQ(driver.call("nvmlEventSetWait", handle, data.data(), 0), kInvalidArgument) << std::hex << handle;
    EXPECT_EQ(driver.call("nvmlDeviceRegisterEvents", device, 8, handle), kInvalidArgument) << std::hex << handle;
    EXPECT_EQ(driver.call("nvmlEventSetFree", handle), kInvalidArgument) << std::hex << handle;
  };
  for (unsigned bit = 0; bit < 64; ++bit)
    refused(set ^ Word{1} << bit);
  refused(device);
  refused(0);
  EXPECT_EQ(driver.call("nvmlDeviceRegisterEvents", device, 8, set), kSuccess);
  EXPECT_EQ(driver.call("nvmlEventSetWait_v2", set, data.data(), 0), kTimeout);
  EXPECT_EQ(driver.call("nvmlEventSetFree", set), kSuccess);
  refused(set);
  Word next = 0;
  ASSERT_EQ(driver.call("nvmlEventSetCreate", &next), kSuccess);
  EXPECT_NE(next, set) << "a new set in the same place has another handle";
  refused(set);
  EXPECT_EQ(driver.call("nvmlEventSetFree", next), kSuccess);
  EXPECT_EQ(driver.shutdown(), kSuccess);
}

TEST_F(Prologue, InitIsCountedAndShutdownWithoutInitSucceeds) {
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(driver.shutdown(), kSuccess);
  EXPECT_EQ(driver.count(), 0xFFFFU);
  ASSERT_EQ(driver.init(), kSuccess);
  ASSERT_EQ(driver.call("nvmlInit"), kSuccess);
  for (const unsigned flags : {0U, 1U, 2U, 0xFFFFU})
    ASSERT_EQ(driver.call("nvmlInitWithFlags", flags), kSuccess) << flags;
  for (int left = 6; left > 0; --left) {
    EXPECT_EQ(driver.count(), 8U) << left << " left";
    EXPECT_EQ(driver.shutdown(), kSuccess);
  }
  EXPECT_EQ(driver.count(), 0xFFFFU);
  EXPECT_EQ(driver.shutdown(), kSuccess);
}

}  // namespace
}  // namespace nvmlab::driver_test
