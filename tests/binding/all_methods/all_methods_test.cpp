// SPDX-License-Identifier: Apache-2.0
// Every method of the binding: against patterns, without its function, against the simulated driver, and against
// drivers of all ages. None allocates what its answer does not keep.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "tests/binding/all_methods/by_hand.hpp"
#include "tests/binding/generated/method_calls.hpp"
#include "tests/binding/support/simulated.hpp"
#include "tests/support/files.hpp"

namespace nvml::all_methods {
namespace {

const Calls& calls() {
  static const Calls all = all_calls();
  return all;
}

std::string title(const Call& call) { return std::string(call.method) + " by " + call.function; }

std::filesystem::path sources() { return nvmlab::test::source_folder(); }

// The functions whose arguments, and answers where they have one, are compared here.
std::set<std::string> compared_with_patterns() {
  std::set<std::string> functions;
  for (const Call& call : calls()) {
    if (call.kind != Kind::by_hand) functions.insert(call.function);
  }
  return functions;
}

// Zero, one, two and three are enumerators, indices and modes; then a percentage, a clock, a power limit; a part of a
// GPU, and a GPU in parts, whose smallest profile is 19.
using Of = Round::Of;
using Text = Round::Text;
constexpr Round kRounds[] = {{0},
                             {1, Of::first, Text::uuid},
                             {2, Of::first, Text::address},
                             {3, Of::first, Text::serial},
                             {60},
                             {1593},
                             {2619},
                             {400'000},
                             {0, Of::mig},
                             {0, Of::last},
                             {19, Of::last}};

TEST(AllMethods, GiveWhatTheFunctionWrote) {
  for (const unsigned length : {kMany, kFew}) {
    list_length = length;
    for (const Call& call : calls()) {
      if (call.kind == Kind::by_hand) continue;
      SCOPED_TRACE(title(call) + ", in a list of " + std::to_string(length));
      call.check_pattern(call);
    }
  }
}

TEST(AllMethods, AnswerAnErrorWhereTheFunctionIsMissing) {
  for (const Call& call : calls()) {
    SCOPED_TRACE(title(call));
    call.check_missing(call);
  }
}

TEST(AllMethods, OfWhichSomeAreComparedByHand) {
  const auto compared = compared_with_patterns();
  for (const ByHand& row : kByHand) {
    const std::string text = nvmlab::test::read_file(sources() / "tests/binding" / row.file).value_or("");
    EXPECT_NE(text.find(row.function), std::string::npos) << row.function << " in " << row.file;
    EXPECT_NE(text.find(row.test), std::string::npos) << row.test << " in " << row.file;
    EXPECT_FALSE(compared.contains(row.function)) << row.function << " needs no test by hand";
  }
}

TEST(AllMethods, AreAllCompared) {
  auto compared = compared_with_patterns();
  for (const ByHand& row : kByHand)
    compared.insert(row.function);
  for (const char* function : kFunctions)
    EXPECT_TRUE(compared.contains(function)) << function << " is compared by no test";
}

// Boards of different kinds, because none has everything; and a machine that has nearly everything.
TEST(AllMethods, GiveWhatTheSimulatedDriverWrote) {
  std::set<std::string> compared;
  std::set<std::string> refused;
  std::vector<std::string> profiles{"dgx-h100", "dgx-a100", "t4"};
  if (exists(nvmlab::test::binary_folder() / "lib/libnvmlab-compiler.so"))
    profiles.push_back((sources() / "tests/drivers/functions/profiles/everything.yaml").string());
  for (const std::string& profile : profiles) {
    ASSERT_EQ(setenv("NVMLAB_PROFILE", profile.c_str(), 1), 0);
    if (profile.ends_with(".yaml")) {
      ASSERT_EQ(setenv("NVMLAB_DRIVER", "999.0", 1), 0);  // newer than all: it has every function
      ASSERT_EQ(setenv("NVMLAB_GPUS", "2", 1), 0);
    }
    const Library library = nvmlab::binding_test::open_simulated();
    if (const unsigned count = library.device_count().value_or(0); count > 1) {
      const auto switched = library.device(count - 1)->set_mig_mode(true);
      ASSERT_TRUE(switched) << switched.error().message();
    }
    for (const Round& round : kRounds) {
      for (const Call& call : calls()) {
        if (call.kind == Kind::by_hand) continue;
        SCOPED_TRACE(title(call) + " of " + profile);
        try {
          const Real real = call.check_real(call, library, round);
          if (real == Real::compared) compared.insert(call.function);
          if (real == Real::refused) refused.insert(call.function);
        } catch (const Absent&) {
        }
      }
    }
  }
  for (const char* name : {"NVMLAB_PROFILE", "NVMLAB_DRIVER", "NVMLAB_GPUS"})
    unsetenv(name);
  for (const std::string& function : compared)
    refused.erase(function);
  EXPECT_GT(compared.size(), profiles.size() > 3 ? 200U : 130U);
  if (std::getenv("NVMLAB_SAY_REFUSED") != nullptr) {
    for (const std::string& function : refused)
      std::cout << "refused: " << function << "\n";
  }
  std::cout << "functions of the newest header: " << std::size(kFunctions)
            << ", compared against patterns: " << compared_with_patterns().size()
            << ", by a test by hand: " << std::size(kByHand)
            << ", compared against the simulated driver: " << compared.size() << ", refused by it: " << refused.size()
            << "\n";
}

TEST(AllMethods, DoNotCrashWithDriversOfAnyAge) {
  auto libraries = nvmlab::binding_test::libraries_of_drivers();
  libraries.push_back(nvmlab::binding_test::simulated_library());
  for (const auto& path : libraries) {
    const auto run = [&] {
      auto library = Library::open({.path = path.string()});
      if (!library) return 1;
      const Subjects subjects = Subjects::real(*library);
      for (const Call& call : calls()) {
        try {
          call.call(subjects);
        } catch (const Absent&) {
        }
      }
      return 0;
    };
    EXPECT_EQ(nvmlab::binding_test::in_child(run), "exit 0") << path;
  }
}

}  // namespace
}  // namespace nvml::all_methods
