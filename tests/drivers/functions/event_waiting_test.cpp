// SPDX-License-Identifier: Apache-2.0
// A wait for events lasts as long as it was told to, through signals and in a process that was forked.
#include <gtest/gtest.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/drivers/functions/support/delivery.hpp"

namespace nvmlab::driver_test {
namespace {

using Waiting = Delivery;

TEST_F(Waiting, SignalsEndNoWait) {
  listen(0, kXidEvent);
  struct sigaction nothing {};
  struct sigaction before {};
  nothing.sa_handler = [](int) {};  // without SA_RESTART
  ASSERT_EQ(::sigaction(SIGALRM, &nothing, &before), 0);
  const itimerval often{{0, 2000}, {0, 2000}};
  ASSERT_EQ(::setitimer(ITIMER_REAL, &often, nullptr), 0);
  const auto start = std::chrono::steady_clock::now();
  EventData data{};
  EXPECT_EQ(wait(data, 100), kTimeout);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(100));
  std::thread raiser([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
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
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
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
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
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

// A machine under load lets some waits last longer, so the best of many counts.
TEST_F(Waiting, TimeOutsAreRightToTheMillisecond) {
  listen(0, kXidEvent);
  constexpr auto kTime = std::chrono::milliseconds(7);
  auto best = std::chrono::steady_clock::duration::max();
  for (int i = 0; i < 40; ++i) {
    EventData data{};
    const auto start = std::chrono::steady_clock::now();
    ASSERT_EQ(wait(data, 7), kTimeout);
    const auto lasted = std::chrono::steady_clock::now() - start;
    ASSERT_GE(lasted, kTime) << "too early";
    best = std::min(best, lasted);
  }
  EXPECT_LT(best, kTime + std::chrono::milliseconds(1));
}

}  // namespace
}  // namespace nvmlab::driver_test
