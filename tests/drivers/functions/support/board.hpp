// SPDX-License-Identifier: Apache-2.0
//
// A machine of two boards that have every setting (tests/drivers/functions/profiles/everything.yaml) and a process that
// plays a role on it: root unless a test says otherwise. NVML's structs come from our own ABI header.
#pragma once

#include <gtest/gtest.h>

#include "nvmlab/abi/abi.hpp"
#include "tests/drivers/functions/support/machine.hpp"

namespace nvmlab::driver_test {

namespace abi = nvml::abi;

class Board : public testing::Test {
 protected:
  static std::string everything() {
    return (source_folder() / "tests/drivers/functions/profiles/everything.yaml").string();
  }
  explicit Board(const std::string& profile = everything(), const std::string& branch = Api::kNewestDriver)
      : machine(profile, branch, 2) {}
  void SetUp() override { ASSERT_EQ(play("root"), kSuccess); }
  void TearDown() override { driver.shutdown(); }

  // Starts over in another role.
  int play(const std::string& role) {
    if (playing_) driver.shutdown();
    playing_ = true;
    role_.reset();
    role_.reset(new Environment{{"NVMLAB_ROLE", role}});
    const int code = driver.init();
    gpu = driver.device(0);
    return code;
  }

  template <class... Arguments>
  int call(const std::string& function, Arguments... arguments) const {
    return driver.call(function, gpu, arguments...);
  }
  // One number behind a pointer.
  template <class T = unsigned>
  T get(const std::string& getter) const {
    T value{};
    EXPECT_EQ(call(getter, &value), kSuccess) << getter;
    return value;
  }
  template <class Struct>
  static Struct versioned() {
    Struct made{};
    made.version = abi::version_of<Struct>;
    return made;
  }

  const Driver& driver = Driver::get();
  SharedMachine machine;
  Word gpu = 0;

 private:
  bool playing_ = false;
  std::unique_ptr<Environment> role_;
};

}  // namespace nvmlab::driver_test
