// SPDX-License-Identifier: Apache-2.0
//
// slurmd and Python scripts fork between init and use. A child must be able to go on with what it inherited, start
// anew, and take any lock, even when it was forked while other threads were in the middle of a call.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/drivers/abi/driver.hpp"

namespace {

using namespace nvmlab::abi_test;

// What a child does: read with the inherited init, count one more init and shutdown, change a setting, end, start anew.
// It may have inherited more than one init, where a thread of the parent's had one of its own at that moment.
int live_as_child(const Driver& driver, Handle inherited, unsigned most_inherited_inits) {
  if (const int wrong = driver.read_everything(); wrong != 0) return wrong;
  char text[96] = {};
  if (driver.name(inherited, text, size_of(text)) != kSuccess) return 30;
  if (driver.init() != kSuccess) return 31;
  if (const int wrong = driver.read_everything(); wrong != 0) return wrong;
  if (driver.shutdown() != kSuccess) return 32;
  if (driver.read_everything() != 0) return 33;  // the inherited init still holds
  driver.call<int(Handle, int)>("nvmlDeviceSetPersistenceMode", inherited, 1);
  unsigned gpus = 0;
  unsigned shutdowns = 0;
  while (driver.count(gpus) != kUninitialized) {
    if (++shutdowns > most_inherited_inits) return 34;
    if (driver.shutdown() != kSuccess) return 35;
  }
  if (driver.init() != kSuccess) return 36;
  return driver.read_everything();
}

class Fork : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(driver_.open()) << driver_.error();
    ASSERT_EQ(driver_.init(), kSuccess);
    ASSERT_EQ(driver_.gpu(0, device_), kSuccess);
  }
  void TearDown() override { EXPECT_EQ(driver_.shutdown(), kSuccess); }

  Driver driver_;
  Handle device_ = nullptr;
};

TEST_F(Fork, AChildGoesOnAndTheParentToo) {
  EXPECT_EQ(in_child([this] { return live_as_child(driver_, device_, 1); }), "exit 0");
  EXPECT_EQ(driver_.read_everything(), 0);
}

TEST_F(Fork, AChildOfAChildToo) {
  EXPECT_EQ(
      in_child([this] { return in_child([this] { return live_as_child(driver_, device_, 1); }) == "exit 0" ? 0 : 1; }),
      "exit 0");
}

TEST_F(Fork, WhileFourThreadsCall) {
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      while (!stop) {
        if (t % 2 == 0) {
          // Writers and init hold locks: a child forked in that moment must not wait for a thread that it has not.
          driver_.call<int(Handle, int)>("nvmlDeviceSetPersistenceMode", device_, t / 2);
          if (driver_.init() != kSuccess || driver_.shutdown() != kSuccess) wrong = 1;
        } else if (const int code = driver_.read_everything(); code != 0) {
          wrong = code;
        }
      }
    });
  }
  for (int i = 0; i < 200; ++i) {
    const auto end = in_child([this] { return live_as_child(driver_, device_, 3); });
    EXPECT_EQ(end, "exit 0") << "child " << i;
    if (end != "exit 0") break;
  }
  stop = true;
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
