// SPDX-License-Identifier: Apache-2.0
//
// What tests of setters share: a few calls, and steps that a child runs with an administrator's rights.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/drivers/functions/support/machine.hpp"

namespace nvmlab::driver_test {

inline const Driver& driver() { return Driver::get(); }

inline unsigned limit_of(Word device) {
  unsigned limit = 0;
  return driver().call("nvmlDeviceGetPowerManagementLimit", device, &limit) == kSuccess ? limit : 0;
}

inline int set_limit(unsigned gpu, unsigned milliwatts) {
  return driver().call("nvmlDeviceSetPowerManagementLimit", driver().device(gpu), milliwatts);
}

// Steps that a child runs with an administrator's rights; the first that gives another code than it should is told.
class Steps {
 public:
  Steps& expect(int code, int expected, const std::string& what) {
    if (code != expected) said_ += what + " answered " + std::to_string(code) + "; ";
    return *this;
  }
  Steps& equal(std::uint64_t value, std::uint64_t expected, const std::string& what) {
    if (value != expected) said_ += what + " is " + std::to_string(value) + "; ";
    return *this;
  }
  std::string said() const { return said_; }

 private:
  std::string said_;
};

#define EXPECT_AS_ROOT(...)                                              \
  do {                                                                   \
    const auto as_root_said = as_root(__VA_ARGS__);                      \
    if (!as_root_said) GTEST_SKIP() << "needs root or a user namespace"; \
    EXPECT_EQ(*as_root_said, "");                                        \
  } while (false)

}  // namespace nvmlab::driver_test
