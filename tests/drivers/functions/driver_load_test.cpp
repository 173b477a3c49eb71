// SPDX-License-Identifier: Apache-2.0
// The driver is unloaded and loaded again under a client that holds handles and waits for events.
#include <gtest/gtest.h>

#include <thread>

#include "engine/change/change.hpp"
#include "engine/store/store_file.hpp"
#include "engine/topics/events/event_types.hpp"
#include "tests/drivers/functions/support/steps.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::driver_test {
namespace {

constexpr int kLost = 15;
constexpr int kNotLoaded = 9;
constexpr int kMismatch = 18;

class DriverLoad : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_FALSE(attach_store(machine.path().c_str(), &control));
    ASSERT_EQ(driver().init(), kSuccess);
    first = driver().device(0);
  }
  void TearDown() override {
    driver().shutdown();
    detach_store(&control);
  }

  // As `nvmlab driver` does, from another mapping of the store.
  template <class Body>
  nvmlab::Code change(const Body& body) {
    MachineAccess whole{*control.store, control.file, true};
    return apply(whole, make_change(MachinePart::driver, body)).code;
  }
  nvmlab::Code unload() { return change(UnloadDriver{1}); }
  static int temperature(Word device) {
    unsigned celsius = 0;
    return driver().call("nvmlDeviceGetTemperature", device, 0, &celsius);
  }

  SharedMachine machine{"dgx-h100"};
  AttachedStore control;
  Word first = 0;
};

TEST_F(DriverLoad, AClientLosesItsGpusUntilItStartsOver) {
  ASSERT_EQ(temperature(first), kSuccess);
  ASSERT_EQ(unload(), nvmlab::kSuccess);
  EXPECT_EQ(temperature(first), kLost);
  Word device = 0;
  EXPECT_EQ(driver().call("nvmlDeviceGetHandleByIndex_v2", 0, &device), kLost);
  ASSERT_EQ(change(LoadDriver{}), nvmlab::kSuccess);
  EXPECT_EQ(temperature(first), kLost) << "a handle of the driver that is gone";
  ASSERT_EQ(driver().shutdown(), kSuccess);
  ASSERT_EQ(driver().init(), kSuccess);
  EXPECT_EQ(driver().count(), 8U);
  EXPECT_EQ(temperature(first), 2) << "no handle of this one";
  EXPECT_EQ(temperature(driver().device(0)), kSuccess);
}

TEST_F(DriverLoad, InitSaysThatItIsNotLoaded) {
  ASSERT_EQ(driver().shutdown(), kSuccess);
  ASSERT_EQ(unload(), nvmlab::kSuccess);
  EXPECT_EQ(driver().init(), kNotLoaded);
  EXPECT_EQ(driver().count(), 0xFFFFU) << "uninitialised";
  ASSERT_EQ(change(LoadDriver{}), nvmlab::kSuccess);
  ASSERT_EQ(change(FailInit{kMismatch}), nvmlab::kSuccess);
  EXPECT_EQ(driver().init(), kMismatch);
  ASSERT_EQ(change(FailInit{0}), nvmlab::kSuccess);
  EXPECT_EQ(driver().init(), kSuccess);
  EXPECT_EQ(driver().count(), 8U);
}

TEST_F(DriverLoad, EndsAWaitForEvents) {
  Word set = 0;
  ASSERT_EQ(driver().call("nvmlEventSetCreate", &set), kSuccess);
  ASSERT_EQ(driver().call("nvmlDeviceRegisterEvents", first, kXidEvent, set), kSuccess);
  std::thread unloads([this, waiter = ::gettid()] {
    EXPECT_TRUE(test::becomes_blocked(waiter));
    EXPECT_EQ(unload(), nvmlab::kSuccess);
  });
  struct {
    Word device;
    unsigned long long type, data;
    unsigned gpu_instance, compute_instance;
  } data{};
  EXPECT_EQ(driver().call("nvmlEventSetWait_v2", set, &data, test::kDeadlineMs), kLost);
  unloads.join();
  ASSERT_EQ(change(LoadDriver{}), nvmlab::kSuccess);
  EXPECT_EQ(driver().call("nvmlEventSetWait_v2", set, &data, 0), kLost) << "what it was of is gone for good";
  EXPECT_EQ(driver().call("nvmlEventSetFree", set), kSuccess);
}

TEST_F(DriverLoad, WhatTheDriverKeptIsForgottenAndWhatTheBoardKeepsStays) {
  MachineAccess whole{*control.store, control.file, true};
  ASSERT_EQ(apply(whole, make_change(0, SetPowerLimit{PowerScope::gpu, 500'000})).code, nvmlab::kSuccess);
  EXPECT_EQ(limit_of(first), 500'000U);
  const std::string uuid = driver().text("nvmlDeviceGetUUID", first);
  ASSERT_EQ(unload(), nvmlab::kSuccess);
  ASSERT_EQ(change(LoadDriver{}), nvmlab::kSuccess);
  driver().shutdown();
  ASSERT_EQ(driver().init(), kSuccess);
  EXPECT_EQ(limit_of(driver().device(0)), 700'000U);
  EXPECT_EQ(driver().text("nvmlDeviceGetUUID", driver().device(0)), uuid);
}

}  // namespace
}  // namespace nvmlab::driver_test
