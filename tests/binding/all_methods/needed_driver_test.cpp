// SPDX-License-Identifier: Apache-2.0
// Every function that came with a driver, with the drivers before it: the error names the driver that is needed and the
// one that is here. Which that is says no table of the binding, but the first library here that has the function.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "nvmlab/loader/driver_release.hpp"
#include "tests/binding/generated/method_calls.hpp"
#include "tests/binding/support/simulated.hpp"

namespace nvml::all_methods {
namespace {

struct Driver {
  std::uint32_t release;  // as detail::driver_release() counts
  Library library;

  unsigned branch() const { return release >> 16; }
};

// By age.
std::vector<Driver> drivers() {
  std::map<std::uint32_t, Driver> found;
  for (const auto& path : nvmlab::binding_test::libraries_of_drivers()) {
    auto opened = Library::open({.path = path.string()});
    if (!opened) throw std::runtime_error(opened.error().message());
    const std::uint32_t release = detail::driver_release(or_throw(opened->driver_version()));
    found.emplace(release, Driver{release, std::move(*opened)});
  }
  std::vector<Driver> all;
  for (auto& [release, driver] : found)
    all.push_back(std::move(driver));
  return all;
}

// "535.98 or newer; ..." -> 535 and 98: what follows `before` in a text; 0 where it does not.
std::uint32_t release_after(const std::string& text, std::string_view before) {
  const auto at = text.find(before);
  if (at == std::string::npos) return 0;
  const std::string_view rest = std::string_view{text}.substr(at + before.size());
  return detail::driver_release(rest.substr(0, rest.find_first_not_of("0123456789.")));
}

// The calls of one name, and the functions behind them.
struct Method {
  std::vector<const Call*> calls;
  std::set<std::string> functions;
};

std::map<std::string, Method> methods(const Calls& calls) {
  std::map<std::string, Method> all;
  for (const Call& call : calls) {
    all[call.method].calls.push_back(&call);
    all[call.method].functions.insert(call.function);
  }
  return all;
}

bool has_any(const Library& library, const Method& method) {
  return std::ranges::any_of(method.functions, [&](const std::string& each) { return library.has(each); });
}

class NeededDriver : public testing::Test {
 protected:
  void SetUp() override {
    if (drivers_.size() < 20) GTEST_SKIP() << "the libraries of drivers are not built";
  }

  // The first from this place on of which it is true; null where it is none.
  template <class Has>
  const Driver* first(std::size_t from, Has has) const {
    const auto found = std::find_if(drivers_.begin() + static_cast<std::ptrdiff_t>(from), drivers_.end(),
                                    [&](const Driver& each) { return has(each.library); });
    return found == drivers_.end() ? nullptr : &*found;
  }

  // Its branch, and where a driver of that branch lacks it still, a release that is newer.
  static bool names(const std::string& text, const Driver& needed, const Driver& here) {
    const std::uint32_t named = release_after(text, "needs driver ");
    return named >> 16 == needed.branch() && named > here.release && named <= needed.release;
  }

  // Each call of one name: what its error says of its function, and one of them, of the name.
  void expect_both(const std::string& name, const Method& method, std::size_t at) {
    const Driver& here = drivers_[at];
    const Driver* const first_of_all = first(at, [&](const Library& each) { return has_any(each, method); });
    if (first_of_all == nullptr) return;  // none of these drivers has it
    const Subjects subjects = Subjects::invented(here.library);
    bool named = false;
    for (const Call* call : method.calls) {
      const std::optional<Error> error = call->error(subjects);
      ASSERT_TRUE(error) << name;
      EXPECT_EQ(error->origin(), Origin::symbol) << *error;
      const std::string function{error->function()};
      const std::string text = error->message();
      EXPECT_EQ(release_after(text, "; this is driver "), here.release) << name << ": " << text;
      const Driver* const needed = first(at, [&](const Library& each) { return each.has(function); });
      if (needed == nullptr) continue;
      EXPECT_TRUE(names(text, *needed, here)) << name << ": " << text;
      named = named || names(text, *first_of_all, here);
      ++errors_;
      if (needed == &drivers_[at + 1]) before_.insert(function);
    }
    EXPECT_TRUE(named) << name << " of driver " << (here.release >> 16) << " names none that has any";
  }

  std::vector<Driver> drivers_ = drivers();
  std::size_t errors_ = 0;
  std::set<std::string> before_;  // asked of the driver before the first that has them
};

TEST_F(NeededDriver, IsNamedByEachFunctionWithTheDriverBeforeIt) {
  const Calls calls = all_calls();
  for (const auto& [name, method] : methods(calls)) {
    for (std::size_t at = 0; at + 1 < drivers_.size() && !has_any(drivers_[at].library, method); ++at) {
      expect_both(name, method, at);
      if (HasFatalFailure()) return;
    }
  }
  std::size_t younger = 0;  // than the first driver, and not younger than the last
  for (const char* function : kFunctions) {
    if (!drivers_.front().library.has(function) && drivers_.back().library.has(function)) ++younger;
  }
  std::cout << before_.size() << " functions, of " << younger
            << " that came with a driver, asked of the driver before it; " << errors_ << " errors of "
            << drivers_.size() << " drivers name the driver that is needed and the one that is here\n";
  EXPECT_GT(before_.size(), 250U);
}

}  // namespace
}  // namespace nvml::all_methods
