// SPDX-License-Identifier: Apache-2.0
//
// What every function has in common, tried on every function: before init it answers UNINITIALIZED whatever its
// arguments are; after init nonsense is answered and never followed. Each call runs in a child of its own.
#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "tests/drivers/abi/driver.hpp"
#include "tests/drivers/abi/known_names.hpp"

namespace {

using namespace nvmlab::abi_test;
using Word = std::uintptr_t;

// More arguments than any NVML function takes: what is not a parameter is not looked at in the C calling convention.
int call_with(const Driver& driver, const std::string& name, Word first, Word others) {
  return driver.call<int(Word, Word, Word, Word, Word, Word, Word, Word)>(name.c_str(), first, others, others, others,
                                                                          others, others, others, others);
}

class Prologue : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto known = known_names();
    ASSERT_TRUE(known) << known.error();
    known_ = *known;
  }
  void SetUp() override { ASSERT_TRUE(driver_.open()) << driver_.error(); }

  int driver_major() const {
    std::array<char, 80> text{};
    driver_.init();
    driver_.call<int(char*, unsigned)>("nvmlSystemGetDriverVersion", text.data(), size_of(text));
    driver_.shutdown();
    return std::atoi(text.data());
  }

  Driver driver_;
  inline static KnownNames known_;
};

// Those that must answer before init, with what they say to zeroes.
int expected_before_init(const std::string& name, int driver_major) {
  if (name.starts_with("nvmlInit") && name != "nvmlInternalGetExportTable") return kSuccess;
  if (name == "nvmlShutdown") return kSuccess;
  if (name == "nvmlRetry_NvRmControl") return 89;  // a leak that asks the kernel without init
  if (name == "nvmlInternalGetExportTable") return kInvalidArgument;
  if (name == "nvmlSystemGetNVMLVersion" && driver_major >= 535) return kInvalidArgument;
  return kUninitialized;
}

TEST_F(Prologue, EverythingIsUninitializedBeforeInit) {
  const int major = driver_major();
  ASSERT_GE(major, 340);
  for (const auto& name : known_.exports) {
    if (name == "nvmlErrorString") continue;  // the one that returns a text (error_string_test.cpp)
    const auto expected = "exit " + std::to_string(expected_before_init(name, major));
    EXPECT_EQ(in_child([&] { return call_with(driver_, name, 0, 0); }), expected) << name << "(0, 0, ...)";
  }
}

TEST_F(Prologue, EverythingIsUninitializedAgainAfterTheLastShutdown) {
  const int major = driver_major();  // inits and shuts down
  unsigned gpus = 77;
  EXPECT_EQ(driver_.count(gpus), kUninitialized);
  EXPECT_EQ(gpus, 77U);
  for (const auto& name : known_.exports) {
    if (known_.first_parameter[name] != "nvmlDevice_t") continue;
    EXPECT_EQ(call_with(driver_, name, 0, 0), expected_before_init(name, major)) << name;
  }
}

TEST_F(Prologue, OutputsStayUntouchedBeforeInit) {
  std::array<char, 64> text{};
  text.fill('x');
  EXPECT_EQ((driver_.call<int(char*, unsigned)>("nvmlSystemGetDriverVersion", text.data(), size_of(text))),
            kUninitialized);
  EXPECT_EQ(text[0], 'x');
  Handle device = this;
  EXPECT_EQ(driver_.gpu(0, device), kUninitialized);
  EXPECT_EQ(device, this);
}

TEST_F(Prologue, NvmlVersionNeedsNoInitFrom535On) {
  if (driver_major() < 535) GTEST_SKIP() << "the simulated driver is older";
  std::array<char, 80> text{};
  const auto ask = [&](char* buffer, unsigned size) {
    return driver_.call<int(char*, unsigned)>("nvmlSystemGetNVMLVersion", buffer, size);
  };
  EXPECT_EQ(ask(text.data(), size_of(text)), kSuccess);
  EXPECT_TRUE(std::isdigit(static_cast<unsigned char>(text[0])) != 0) << text.data();
  EXPECT_EQ(ask(nullptr, 80), kInvalidArgument);
  text.fill('x');
  EXPECT_EQ(ask(text.data(), 3), kInsufficientSize);
  EXPECT_EQ(text[0], 'x');
}

TEST_F(Prologue, InitIsCounted) {
  unsigned gpus = 0;
  EXPECT_EQ(driver_.shutdown(), kSuccess) << "without init: real libraries answer so";
  ASSERT_EQ(driver_.init(), kSuccess);
  ASSERT_EQ(driver_.call<int()>("nvmlInit"), kSuccess);
  ASSERT_EQ(driver_.call<int(unsigned)>("nvmlInitWithFlags", 0U), kSuccess);
  for (int left = 3; left > 0; --left) {
    EXPECT_EQ(driver_.count(gpus), kSuccess) << left;
    EXPECT_EQ(driver_.shutdown(), kSuccess);
  }
  EXPECT_EQ(driver_.count(gpus), kUninitialized);
  EXPECT_EQ(driver_.shutdown(), kSuccess);
  ASSERT_EQ(driver_.init(), kSuccess) << "a shutdown too many counts for nothing";
  EXPECT_EQ(driver_.count(gpus), kSuccess);
  EXPECT_EQ(driver_.shutdown(), kSuccess);
}

TEST_F(Prologue, NullEverywhereIsAnsweredAfterInit) {
  // A zero is a value to these, not a missing pointer.
  const std::set<std::string> takes_zero = {"nvmlShutdown", "nvmlSystemSetConfComputeGpusReadyState",
                                            "nvmlSystemSetNvlinkBwMode"};
  ASSERT_EQ(driver_.init(), kSuccess);
  for (const auto& name : known_.exports) {
    if (name == "nvmlErrorString") continue;
    const auto end = in_child([&] { return call_with(driver_, name, 0, 0); });
    EXPECT_TRUE(end.starts_with("exit ")) << name << "(0, 0, ...): " << end;
    if (!name.starts_with("nvmlInit") || name == "nvmlInternalGetExportTable") {
      EXPECT_TRUE(end != "exit 0" || takes_zero.contains(name)) << name << "(0, 0, ...) succeeded";
      EXPECT_NE(end, "exit 1") << name << " says that it is not initialised";
    }
  }
  EXPECT_EQ(driver_.shutdown(), kSuccess);
}

// Every function that takes a handle, with handles that nobody gave out and plenty of room behind each other argument.
TEST_F(Prologue, ForeignHandlesAreAnsweredAfterInit) {
  const std::set<std::string> handle_types = {"nvmlDevice_t",         "nvmlUnit_t",        "nvmlEventSet_t",
                                              "nvmlSystemEventSet_t", "nvmlGpuInstance_t", "nvmlComputeInstance_t",
                                              "nvmlVgpuInstance_t",   "nvmlGpmSample_t"};
  ASSERT_EQ(driver_.init(), kSuccess);
  Handle real = nullptr;
  ASSERT_EQ(driver_.gpu(0, real), kSuccess);
  const auto genuine = reinterpret_cast<Word>(real);
  const Word stack = reinterpret_cast<Word>(&genuine);
  unsigned functions = 0;
  for (const auto& name : known_.exports) {
    if (!handle_types.contains(known_.first_parameter[name])) continue;
    ++functions;
    const auto end = in_child([&] {
      static std::array<std::uint64_t, 8192> room;  // larger than any struct of NVML's, in every argument's place
      for (const Word handle : {Word{1}, Word{0xdeadbeef}, ~Word{0}, stack, genuine ^ (Word{1} << 62)}) {
        if (call_with(driver_, name, handle, reinterpret_cast<Word>(room.data() + 2048)) == kSuccess) return 0;
      }
      return 1;
    });
    EXPECT_EQ(end, "exit 1") << name << (end == "exit 0" ? " took a foreign handle" : "");
  }
  EXPECT_GE(functions, 300U);
  EXPECT_EQ(driver_.shutdown(), kSuccess);
}

TEST_F(Prologue, DamagedHandlesAreRecognised) {
  ASSERT_EQ(driver_.init(), kSuccess);
  std::array<Word, kDefaultGpus> genuine{};
  for (unsigned index = 0; index < kDefaultGpus; ++index) {
    Handle device = nullptr;
    ASSERT_EQ(driver_.gpu(index, device), kSuccess);
    genuine.at(index) = reinterpret_cast<Word>(device);
  }
  const std::set<Word> all(genuine.begin(), genuine.end());
  EXPECT_EQ(all.size(), kDefaultGpus) << "handles are distinct";
  std::array<char, 96> text{};
  for (const Word handle : genuine) {
    for (unsigned bit = 0; bit < 64; ++bit) {
      const Word damaged = handle ^ (Word{1} << bit);
      if (all.contains(damaged)) continue;
      EXPECT_EQ(driver_.name(reinterpret_cast<Handle>(damaged), text.data(), size_of(text)), kInvalidArgument)
          << "bit " << bit << " of a handle flipped";
    }
  }
  EXPECT_EQ(driver_.shutdown(), kSuccess);
}

}  // namespace
