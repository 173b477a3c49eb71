// SPDX-License-Identifier: Apache-2.0
//
// Version words: for every function with a versioned struct the right word is taken, and anything that is no version of
// that struct is an ARGUMENT_VERSION_MISMATCH with nothing written. The words come from the facts.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "tests/drivers/functions/support/arguments.hpp"

namespace nvmlab::driver_test {
namespace {

class Versions : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(driver.init(), kSuccess); }
  void TearDown() override { EXPECT_EQ(driver.shutdown(), kSuccess); }

  // Every parameter of every function that is a versioned struct.
  static void for_every(const std::function<std::string(const FunctionFacts&, std::size_t)>& check) {
    unsigned structs = 0;
    for (const FunctionFacts& function : Api::get().functions()) {
      if (!function.in_driver(Api::kNewestDriver)) continue;
      for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        if (function.parameters[i].version == 0) continue;
        ++structs;
        EXPECT_EQ(in_child([&] { return check(function, i); }), "") << function.name;
      }
    }
    EXPECT_GE(structs, 55U);
  }

  static int call_with(Arguments& arguments, std::size_t parameter, std::uint32_t version) {
    arguments.reset();
    GuardedPage& page = arguments.memory(parameter);
    std::memcpy(page.data(), &version, sizeof version);
    page.remember();
    return arguments.call();
  }

  const Driver& driver = Driver::get();
  Environment newest{{"NVMLAB_DRIVER", Api::kNewestDriver}};
};

TEST_F(Versions, TheRightWordIsTaken) {
  for_every([this](const FunctionFacts& function, std::size_t parameter) -> std::string {
    Arguments arguments(function, driver.device(0));
    const std::uint32_t word = function.parameters[parameter].version;
    const int code = call_with(arguments, parameter, word);
    return code == kArgumentVersionMismatch || code == kFunctionNotFound ? fmt::format("{:#x}: {}", word, code) : "";
  });
}

// The caller's memory ends where the layout that it names ends, so an answer in a longer one would be seen.
TEST_F(Versions, EveryVersionOfTheStructIsTakenInItsOwnLayout) {
  unsigned older = 0;
  for_every([&](const FunctionFacts& function, std::size_t parameter) -> std::string {
    std::string said;
    for (const std::uint32_t word : function.parameters[parameter].family) {
      Arguments arguments(function, driver.device(0));
      arguments.reset();
      GuardedPage page;
      std::byte* memory = page.place(word & 0xFFFFFFU);
      std::memcpy(memory, &word, sizeof word);
      arguments.words[parameter] = reinterpret_cast<Word>(memory);
      const int code = arguments.call();
      if (code == kArgumentVersionMismatch) said += fmt::format("{:#x}: {}; ", word, code);
      std::uint32_t kept = 0;
      std::memcpy(&kept, memory, sizeof kept);
      if (kept != word) said += fmt::format("{:#x} became {:#x}; ", word, kept);
    }
    return said;
  });
  for (const FunctionFacts& function : Api::get().functions()) {
    for (const ParameterFacts& parameter : function.parameters)
      older += parameter.family.empty() ? 0 : 1;
  }
  EXPECT_GE(older, 8U);
}

// A caller that was built for another header is told so even when it has no GPU to ask about.
TEST_F(Versions, TheWordIsLookedAtBeforeTheHandle) {
  for_every([](const FunctionFacts& function, std::size_t parameter) -> std::string {
    if (!function.takes_device()) return "";
    Arguments arguments(function, Word{0xDEAD});
    const int code = call_with(arguments, parameter, 99U << 24);
    return code == kArgumentVersionMismatch ? "" : fmt::format("{}", code);
  });
}

TEST_F(Versions, AnyOtherWordIsAMismatchAndNothingIsWritten) {
  for_every([this](const FunctionFacts& function, std::size_t parameter) {
    const ParameterFacts& facts = function.parameters[parameter];
    const auto size = static_cast<std::uint32_t>(facts.size);
    std::set<std::uint32_t> wrong = {
        0, 1, 2, size, size | 99U << 24, size | 255U << 24, (size + 4) | (facts.version & 0xFF000000U), ~0U};
    for (unsigned bit = 0; bit < 32; ++bit)
      wrong.insert(facts.version ^ 1U << bit);
    wrong.erase(facts.version);
    for (const std::uint32_t other : facts.family)
      wrong.erase(other);
    std::string said;
    Arguments arguments(function, driver.device(0));
    for (const std::uint32_t word : wrong) {
      const int code = call_with(arguments, parameter, word);
      if (code != kArgumentVersionMismatch) said += fmt::format("{:#x}: {}; ", word, code);
      if (arguments.changed()) said += fmt::format("{:#x} wrote; ", word);
      if (said.size() > 200) break;
    }
    return said;
  });
}

// Where a name has gone through several layouts, a word of another layout is either taken or refused as what it is, and
// never written beyond: the memory is as long as the size in the word says.
TEST_F(Versions, WordsOfOtherLayoutsKeepToTheirOwnSize) {
  unsigned others = 0;
  for (const FunctionFacts& function : Api::get().functions()) {
    for (const ParameterFacts& parameter : function.parameters)
      others += static_cast<unsigned>(parameter.family.size());
  }
  EXPECT_GE(others, 6U);
  for_every([this](const FunctionFacts& function, std::size_t parameter) {
    std::string said;
    for (const std::uint32_t word : function.parameters[parameter].family) {
      Arguments arguments(function, driver.device(0));
      GuardedPage& page = arguments.memory(parameter);
      std::byte* room = page.place(word & 0xFFFFFF);
      std::memset(room, 0, page.size());
      std::memcpy(room, &word, sizeof word);
      page.remember();
      arguments.words.at(parameter) = reinterpret_cast<Word>(room);
      const int code = arguments.call();
      if (code == kFunctionNotFound || code == kUnknown) said += fmt::format("{:#x}: {}; ", word, code);
      if (page.changed_outside(0, page.size())) said += fmt::format("{:#x} wrote before its struct; ", word);
      if (code == kArgumentVersionMismatch && arguments.changed()) said += fmt::format("{:#x} wrote; ", word);
    }
    return said;
  });
}

// Layouts that are known to be taken beside the newest one.
TEST_F(Versions, FabricAndPlatformTakeTheirOlderLayouts) {
  for (const auto& [name, least] :
       {std::pair{"nvmlDeviceGetGpuFabricInfoV", 1U}, std::pair{"nvmlDeviceGetPlatformInfo", 1U}}) {
    const FunctionFacts* function = Api::get().find(name);
    ASSERT_NE(function, nullptr);
    unsigned taken = 0;
    for (const std::uint32_t word : function->parameters[1].family) {
      Arguments arguments(*function, driver.device(0));
      taken += call_with(arguments, 1, word) != kArgumentVersionMismatch ? 1 : 0;
    }
    EXPECT_GE(taken, least) << name;
  }
}

}  // namespace
}  // namespace nvmlab::driver_test
