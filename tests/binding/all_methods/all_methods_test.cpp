// SPDX-License-Identifier: Apache-2.0
// Every method of the binding: against patterns, without its function, against the simulated driver, and against
// drivers of all ages.
#include <gtest/gtest.h>

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

TEST(AllMethods, GiveWhatTheSimulatedDriverWrote) {
  const Library library = nvmlab::binding_test::open_simulated();
  std::set<std::string> compared;
  for (const Call& call : calls()) {
    SCOPED_TRACE(title(call));
    try {
      if (call.check_real(library)) compared.insert(call.function);
    } catch (const Absent&) {
    }
  }
  EXPECT_GT(compared.size(), 150U);
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
