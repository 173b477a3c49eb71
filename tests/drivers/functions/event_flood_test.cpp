// SPDX-License-Identifier: Apache-2.0
//
// More events than waiters can take: each waiter gets them in order and none twice, and what it did not get is counted.
// Eight waiters in four processes. NVMLAB_TEST_EVENTS is the number of events. With NVMLAB_TEST_EVENTS_KEEP_UP=1 no
// event is raised that a waiter has no place for, and none is lost.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

#include "engine/change/change.hpp"
#include "engine/store/store_file.hpp"
#include "engine/topics/events/event_types.hpp"
#include "tests/drivers/functions/support/steps.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::driver_test {
namespace {

constexpr unsigned kProcesses = 4;
constexpr unsigned kWaiters = 8;

struct Told {
  std::atomic<std::uint64_t> delivered;
  std::atomic<std::uint64_t> missed;  // numbers that did not come
  std::atomic<std::uint64_t> disorder;
};
struct Tally {
  std::atomic<unsigned> ready;
  Told waiters[kWaiters];
};

struct EventData {
  Word device;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};

// Events are numbered from 1 to `last`.
void take_all(Tally& tally, Told& told, std::uint64_t last) {
  Word set = 0;
  driver().call("nvmlEventSetCreate", &set);
  driver().call("nvmlDeviceRegisterEvents", driver().device(0), kXidEvent, set);
  ++tally.ready;
  for (std::uint64_t seen = 0; seen != last;) {
    EventData data{};
    if (driver().call("nvmlEventSetWait_v2", set, &data, test::kDeadlineMs) != kSuccess) {
      ++told.disorder;
      break;
    }
    if (data.data <= seen) ++told.disorder;
    if (data.data > seen + 1) told.missed += data.data - seen - 1;
    ++told.delivered;
    seen = data.data;
  }
  driver().call("nvmlEventSetFree", set);
}

// A process of its own; ends with the test.
int two_waiters(Tally& tally, unsigned first, std::uint64_t last) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (driver().init() != kSuccess) return 2;
  std::thread other([&] { take_all(tally, tally.waiters[first], last); });
  take_all(tally, tally.waiters[first + 1], last);
  other.join();
  return driver().shutdown() == kSuccess ? 0 : 3;
}

std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
  const char* wanted = std::getenv(variable);
  return wanted == nullptr ? otherwise : std::strtoull(wanted, nullptr, 10);
}

TEST(EventFlood, DeliveredAndLostAreWhatWasRaised) {
  const SharedMachine machine("dgx-h100");
  const Environment quiet{{"NVMLAB_LOG", "off"}};  // there is a line for each loss
  const std::uint64_t last = number_in("NVMLAB_TEST_EVENTS", 20'000);
  const bool keep_up = number_in("NVMLAB_TEST_EVENTS_KEEP_UP", 0) != 0;
  void* shared = ::mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto* tally = static_cast<Tally*>(shared);
  std::vector<pid_t> children;
  for (unsigned i = 0; i < kProcesses; ++i) {
    children.push_back(::fork());
    if (children.back() == 0) ::_exit(two_waiters(*tally, 2 * i, last));
  }
  ASSERT_TRUE(test::eventually([&] { return tally->ready == kWaiters; }));
  AttachedStore attached;
  ASSERT_FALSE(attach_store(machine.path().c_str(), &attached));
  MachineAccess whole{*attached.store, attached.file, true};
  const auto has_room = [tally](std::uint64_t next) {
    return std::ranges::all_of(tally->waiters, [next](const Told& told) {
      return told.delivered + told.missed + EventRing::kCapacity / 2 >= next;
    });
  };
  for (std::uint64_t i = 1; i <= last; ++i) {
    while (keep_up && !has_room(i))
      std::this_thread::yield();
    const RaiseEvent event{kXidEvent, i, kNoInstance, kNoInstance, false};
    while (apply(whole, make_change(0, event)).code == kTimeout) {
    }
  }
  for (const pid_t child : children) {
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  std::uint64_t missed = 0;
  for (const Told& told : tally->waiters) {
    EXPECT_EQ(told.disorder, 0U);
    EXPECT_EQ(told.delivered + told.missed, last);
    missed += told.missed;
  }
  EXPECT_EQ(events_lost(attached.store->events), missed);
  if (keep_up) {
    EXPECT_EQ(missed, 0U);
  }
  RecordProperty("events", std::to_string(last));
  RecordProperty("missed", std::to_string(missed));
  detach_store(&attached);
  ::munmap(shared, sizeof(Tally));
}

}  // namespace
}  // namespace nvmlab::driver_test
