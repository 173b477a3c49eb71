// SPDX-License-Identifier: Apache-2.0
// A wait for events lasts as long as it was told to, through signals and in a process that was forked.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>

#include "tests/drivers/functions/support/delivery.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::driver_test {
namespace {

using Waiting = Delivery;

// Returns the time limit of the futex call that blocks a thread of this process; 0 if none does.
std::chrono::nanoseconds futex_limit(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/syscall");
  long number = 0;
  std::uintptr_t arguments[4] = {};
  file >> number >> std::hex;
  for (std::uintptr_t& argument : arguments)
    file >> argument;
  if (!file || number != SYS_futex || arguments[3] == 0) return {};
  timespec limit{};
  std::memcpy(&limit, reinterpret_cast<const void*>(arguments[3]), sizeof limit);
  return std::chrono::seconds(limit.tv_sec) + std::chrono::nanoseconds(limit.tv_nsec);
}

TEST_F(Waiting, SignalsEndNoWait) {
  listen(0, kXidEvent);
  struct sigaction nothing {};
  struct sigaction before {};
  nothing.sa_handler = [](int) {};  // without SA_RESTART
  ASSERT_EQ(::sigaction(SIGALRM, &nothing, &before), 0);
  const itimerval often{{0, 2000}, {0, 2000}};
  ASSERT_EQ(::setitimer(ITIMER_REAL, &often, nullptr), 0);
  EventData data{};
  EXPECT_GE(test::elapsed([&] { EXPECT_EQ(wait(data, 100), kTimeout); }), std::chrono::milliseconds(100));
  std::thread raiser([this, waiter = ::gettid()] {
    EXPECT_TRUE(test::becomes_blocked(waiter));
    EXPECT_EQ(event(0, kXidEvent, 79), kSuccess);
  });
  EXPECT_EQ(wait(data, kLong), kSuccess);
  EXPECT_EQ(data.data, 79U);
  raiser.join();
  const itimerval never{};
  EXPECT_EQ(::setitimer(ITIMER_REAL, &never, nullptr), 0);
  EXPECT_EQ(::sigaction(SIGALRM, &before, nullptr), 0);
}

// The child has the set as it was, and gets what comes as its parent does.
TEST_F(Waiting, AForkedChildWaitsOn) {
  listen(0, kXidEvent);
  const pid_t child = ::fork();
  if (child == 0) {
    EventData data{};
    ::_exit(wait(data, kLong) == kSuccess && data.data == 79 ? 0 : 1);
  }
  ASSERT_GT(child, 0);
  EXPECT_TRUE(test::becomes_blocked(child));
  EXPECT_EQ(event(0, kXidEvent, 79), kSuccess);
  EventData data{};
  EXPECT_EQ(wait(data, kLong), kSuccess);
  EXPECT_EQ(data.data, 79U);
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(Waiting, AWaiterThatIsKilledInItsSleepHarmsNobody) {
  listen(0, kXidEvent);
  const pid_t child = ::fork();
  if (child == 0) {
    EventData data{};
    ::_exit(wait(data, kLong));
  }
  ASSERT_GT(child, 0);
  EXPECT_TRUE(test::becomes_blocked(child));
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  for (std::uint64_t xid = 1; xid <= 3; ++xid)
    EXPECT_EQ(event(0, kXidEvent, xid), kSuccess);
  EventData data{};
  for (std::uint64_t xid = 1; xid <= 3; ++xid) {
    ASSERT_EQ(wait(data, kLong), kSuccess);
    EXPECT_EQ(data.data, xid);
  }
}

// How late a waiter runs again is the scheduler's choice, so the test reads how long the driver asks the kernel to
// wait.
TEST_F(Waiting, TimeOutsAreRightToTheNanosecond) {
  listen(0, kXidEvent);
  for (int i = 0; i < 40; ++i) {
    EventData data{};
    EXPECT_GE(test::elapsed([&] { EXPECT_EQ(wait(data, 1), kTimeout); }), std::chrono::milliseconds(1)) << "too early";
  }
  std::chrono::nanoseconds asked{};
  const auto took = test::elapsed([&] {
    test::BlockingCall call([this] {
      EventData data{};
      EXPECT_EQ(wait(data, kLong), kSuccess);
    });
    ASSERT_TRUE(test::eventually([&] { return (asked = futex_limit(call.id())).count() != 0; }));
    EXPECT_EQ(event(0, kXidEvent, 79), kSuccess);
    call.join();
  });
  EXPECT_LE(asked, test::kDeadline);
  EXPECT_GE(asked + took, test::kDeadline);
}

}  // namespace
}  // namespace nvmlab::driver_test
