// SPDX-License-Identifier: Apache-2.0
// Events reach who registered for them, through every way of waiting, once and in order; and a wait ends where the GPU
// or the machine goes away.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/drivers/functions/support/delivery.hpp"

namespace nvmlab::driver_test {
namespace {

struct SystemRegistration {
  unsigned version = sizeof(SystemRegistration) | 1U << 24;
  unsigned long long types = 3;
  Word set = 0;
};
struct SystemSet {
  unsigned version = sizeof(SystemSet) | 1U << 24;
  Word set = 0;
};
struct SystemEvent {
  unsigned long long type;
  unsigned gpu;
};
struct SystemWait {
  unsigned version = sizeof(SystemWait) | 1U << 24;
  unsigned timeout_ms = 0;
  Word set = 0;
  SystemEvent* data = nullptr;
  unsigned size = 0;
  unsigned count = 77;
};

TEST_F(Delivery, OfTheGpusAndTypesThatWereAskedFor) {
  listen(1, kXidEvent);
  listen(2, kXidEvent | kClockEvent);
  EXPECT_EQ(event(0, kXidEvent, 13), kSuccess);
  EXPECT_EQ(event(1, kClockEvent), kSuccess);
  EXPECT_EQ(event(1, kXidEvent, 79), kSuccess);
  EXPECT_EQ(event(2, kClockEvent), kSuccess);
  EventData data{};
  ASSERT_EQ(wait(data, kNow), kSuccess);
  EXPECT_EQ(data.device, driver().device(1));
  EXPECT_EQ(data.type, kXidEvent);
  EXPECT_EQ(data.data, 79U);
  EXPECT_EQ(data.gpu_instance, ~0U);
  EXPECT_EQ(data.compute_instance, ~0U);
  ASSERT_EQ(wait(data, kNow), kSuccess);
  EXPECT_EQ(data.device, driver().device(2));
  EXPECT_EQ(data.type, kClockEvent);
  EXPECT_EQ(data.data, 0U);
  EXPECT_EQ(wait(data, kNow), kTimeout);
}

TEST_F(Delivery, NothingFromBeforeTheRegistration) {
  listen(0, kXidEvent);
  EXPECT_EQ(event(1, kXidEvent, 31), kSuccess);
  listen(1, kXidEvent);
  EXPECT_EQ(event(1, kXidEvent, 43), kSuccess);
  EventData data{};
  ASSERT_EQ(wait(data, kNow), kSuccess);
  EXPECT_EQ(data.data, 43U);
}

// Clients that were built for the first version have eight bytes less.
TEST_F(Delivery, TheFirstVersionEndsBeforeTheInstances) {
  listen(0, kXidEvent);
  EXPECT_EQ(change(make_change(0, RaiseEvent{kXidEvent, 94, 3, 1, false})), kSuccess);
  EventData data{.device = 0, .type = 0, .data = 0, .gpu_instance = 0xAAAA, .compute_instance = 0xBBBB};
  ASSERT_EQ(driver().call("nvmlEventSetWait", set, &data, kNow), kSuccess);
  EXPECT_EQ(data.data, 94U);
  EXPECT_EQ(data.gpu_instance, 0xAAAAU);
  EXPECT_EQ(data.compute_instance, 0xBBBBU);
}

TEST_F(Delivery, TheThirdVersionNamesTheGpu) {
  listen(5, kXidEvent);
  EXPECT_EQ(change(make_change(5, RaiseEvent{kXidEvent, 94, 3, 1, false})), kSuccess);
  struct {
    unsigned timeout = 0, kind = 77;
    char uuid[96] = {};
    char module[16] = {};
    unsigned long long type = 0, data = 0, cursor = 0, instance = 0, at_us = 0, trace = 0;
    unsigned gpu_instance = 0, compute_instance = 0;
    unsigned rest[12] = {};
  } data;
  ASSERT_EQ(driver().call("nvmlEventSetWait_v3", set, &data), kSuccess);
  EXPECT_EQ(data.kind, 0U);
  EXPECT_EQ(std::string(data.uuid), driver().text("nvmlDeviceGetUUID", driver().device(5)));
  EXPECT_EQ(data.type, kXidEvent);
  EXPECT_EQ(data.data, 94U);
  EXPECT_EQ(data.gpu_instance, 3U);
  EXPECT_EQ(data.compute_instance, 1U);
  EXPECT_GT(data.at_us, 1'600'000'000'000'000U);
}

TEST_F(Delivery, WakesASleeper) {
  listen(3, kDoubleBitEccEvent);
  std::thread raiser([this, waiter = ::gettid()] {
    EXPECT_TRUE(test::becomes_blocked(waiter));
    EXPECT_EQ(event(3, kDoubleBitEccEvent), kSuccess);
  });
  EventData data{};
  EXPECT_EQ(wait(data, kLong), kSuccess);
  EXPECT_EQ(data.type, kDoubleBitEccEvent);
  raiser.join();
}

TEST_F(Delivery, EachSetGetsAllAndThreadsOfOneSetShare) {
  constexpr std::uint64_t kEvents = 2000;
  listen(0, kXidEvent);
  Word other = 0;
  ASSERT_EQ(driver().call("nvmlEventSetCreate", &other), kSuccess);
  ASSERT_EQ(driver().call("nvmlDeviceRegisterEvents", driver().device(0), kXidEvent, other), kSuccess);
  constexpr std::uint64_t kLast = ~std::uint64_t{0};  // one for each thread that shares a set
  const auto drain = [](Word from) {
    std::uint64_t sum = 0;
    EventData data{};
    while (driver().call("nvmlEventSetWait_v2", from, &data, kLong) == kSuccess && data.data != kLast)
      sum += data.data;
    return sum;
  };
  std::uint64_t sums[3] = {};
  std::vector<std::thread> waiters;
  for (unsigned i = 0; i < 3; ++i)
    waiters.emplace_back([&, i] { sums[i] = drain(i == 2 ? other : set); });
  for (std::uint64_t i = 1; i <= kEvents; ++i)
    ASSERT_EQ(event(0, kXidEvent, i), kSuccess);
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(event(0, kXidEvent, kLast), kSuccess);
  for (auto& waiter : waiters)
    waiter.join();
  EXPECT_EQ(sums[0] + sums[1], kEvents * (kEvents + 1) / 2);
  EXPECT_EQ(sums[2], kEvents * (kEvents + 1) / 2);
  EXPECT_EQ(driver().call("nvmlEventSetFree", other), kSuccess);
}

TEST_F(Delivery, ARemovedGpuEndsTheWaitAndIsToldToTheMachine) {
  listen(2, kXidEvent);
  SystemSet system;
  ASSERT_EQ(driver().call("nvmlSystemEventSetCreate", &system), kSuccess);
  SystemRegistration registration;
  registration.set = system.set;
  ASSERT_EQ(driver().call("nvmlSystemRegisterEvents", &registration), kSuccess);
  EXPECT_EQ(event(2, kXidEvent, 79), kSuccess);
  machine.change_gpu(2, [](Gpu& gpu) {
    gpu.modes.drain.set(1);
    gpu.modes.persistence.set(0);
  });
  ASSERT_EQ(change(make_change(2, RemoveGpu{})), kSuccess);
  EventData data{};
  ASSERT_EQ(wait(data, kNow), kSuccess) << "what was raised before comes first";
  EXPECT_EQ(data.data, 79U);
  EXPECT_EQ(wait(data, kLong), kGpuIsLost);
  ASSERT_EQ(change(make_change(2, ReturnGpu{})), kSuccess);
  SystemEvent events[4] = {};
  SystemWait waiting;
  waiting.set = system.set;
  waiting.data = events;
  waiting.size = 4;
  ASSERT_EQ(driver().call("nvmlSystemEventSetWait", &waiting), kSuccess);
  ASSERT_EQ(waiting.count, 2U);
  EXPECT_EQ(events[0].type, kDriverUnbindEvent);
  EXPECT_EQ(events[1].type, kDriverBindEvent);
  EXPECT_EQ(events[0].gpu, events[1].gpu);
  EXPECT_EQ(driver().call("nvmlSystemEventSetFree", &system), kSuccess);
}

TEST_F(Delivery, AMachineThatGoesDownEndsTheWait) {
  listen(0, kXidEvent);
  std::thread taker([this, waiter = ::gettid()] {
    EXPECT_TRUE(test::becomes_blocked(waiter));
    EXPECT_FALSE(remove_store(machine.path().c_str()));
  });
  EventData data{};
  EXPECT_EQ(wait(data, kLong), kGpuIsLost);
  taker.join();
}

TEST_F(Delivery, AnEventThatABoardNeverReportsIsRefused) {
  EXPECT_EQ(event(0, kPowerSourceEvent), kNotSupported);
  EXPECT_EQ(event(0, kXidEvent | kClockEvent), kInvalidArgument);
  EXPECT_EQ(event(0, kClockEvent, 3), kInvalidArgument) << "only an Xid has a number";
  EXPECT_EQ(event(8, kXidEvent, 79), kInvalidArgument);
}

// A set that nothing waits on loses the oldest, and gets the newest.
TEST_F(Delivery, ASlowSetGetsTheNewest) {
  listen(0, kXidEvent);
  for (std::uint64_t i = 1; i <= EventRing::kCapacity + 5; ++i)
    ASSERT_EQ(event(0, kXidEvent, i), kSuccess);
  EventData data{};
  ASSERT_EQ(wait(data, kNow), kSuccess);
  EXPECT_EQ(data.data, 6U);
}

// The newest are there, and the machine knows how many are not.
TEST_F(Delivery, WhatASlowWaiterMissesIsCounted) {
  constexpr std::uint64_t kMissed = 10;
  listen(0, kXidEvent);
  testing::internal::CaptureStderr();
  std::vector<Change> changes(64);
  for (std::uint64_t raised = 0; raised < EventRing::kCapacity + kMissed;) {
    std::uint32_t count = 0;
    for (; count < changes.size() && raised < EventRing::kCapacity + kMissed; ++count, ++raised)
      changes[count] = make_change(0, RaiseEvent{kXidEvent, raised, kNoInstance, kNoInstance, false});
    MachineAccess whole{*control.store, control.file, true};
    ASSERT_EQ(apply(whole, changes.data(), count).code, nvmlab::kSuccess);
  }
  EventData data{};
  ASSERT_EQ(wait(data, kNow), kSuccess);
  EXPECT_EQ(data.data, kMissed);
  EXPECT_EQ(events_lost(control.store->events), kMissed);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("missed 10 events"), std::string::npos);
}

}  // namespace
}  // namespace nvmlab::driver_test
