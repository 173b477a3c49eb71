// SPDX-License-Identifier: Apache-2.0
// Every method of the binding: against patterns, without its function, against the simulated driver, and against
// drivers of all ages.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "tests/binding/generated/method_calls.hpp"
#include "tests/binding/support/simulated.hpp"

namespace nvml::all_methods {
namespace {

const Calls& calls() {
  static const Calls all = all_calls();
  return all;
}

std::string title(const Call& call) { return std::string(call.method) + " by " + call.function; }

TEST(AllMethods, GiveWhatTheFunctionWrote) {
  for (const Call& call : calls()) {
    SCOPED_TRACE(title(call));
    call.check_pattern();
  }
}

TEST(AllMethods, AnswerAnErrorWhereTheFunctionIsMissing) {
  for (const Call& call : calls()) {
    SCOPED_TRACE(title(call));
    call.check_missing();
  }
}

// Boards of different kinds, because none has everything.
TEST(AllMethods, GiveWhatTheSimulatedDriverWrote) {
  std::set<std::string> compared;
  for (const char* profile : {"dgx-h100", "dgx-a100", "t4"}) {
    ASSERT_EQ(setenv("NVMLAB_PROFILE", profile, 1), 0);
    const Library library = nvmlab::binding_test::open_simulated();
    for (const Call& call : calls()) {
      SCOPED_TRACE(title(call) + " of " + profile);
      try {
        if (call.check_real(library)) compared.insert(call.function);
      } catch (const Absent&) {
      }
    }
  }
  unsetenv("NVMLAB_PROFILE");
  EXPECT_GT(compared.size(), 120U);
  RecordProperty("functions_with_an_answer", static_cast<int>(compared.size()));
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
    EXPECT_EQ(nvmlab::binding_test::in_child(run, 60), "exit 0") << path;
  }
}

}  // namespace
}  // namespace nvml::all_methods
