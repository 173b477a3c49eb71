// SPDX-License-Identifier: Apache-2.0
// The log of changes: entries of any length come back whole and in order, and what fell out can be counted.
#include "engine/store/change_log.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "tests/unit/machine/child.hpp"

namespace nvmlab {
namespace {

using test::Child;

// An entry that can be told from every other; its length goes from none to all of the body.
LogEntry entry_of(std::uint64_t number) {
  LogEntry entry{.at_ns = number,
                 .caller = {static_cast<std::uint32_t>(number), 4, 5, "writer"},
                 .target = static_cast<std::uint32_t>(number % 8),
                 .kind = static_cast<std::uint16_t>(number % 50),
                 .code = 3,
                 .body = {}};
  const std::size_t length = number * 37 % (sizeof entry.body + 1);
  std::memset(entry.body, 1 + static_cast<int>(number % 255), length);
  return entry;
}

bool whole(const LogEntry& entry) {
  const LogEntry same = entry_of(entry.at_ns);
  return std::memcmp(&entry, &same, sizeof entry) == 0;
}

class Log : public testing::Test {
 protected:
  ChangeLog* log = static_cast<ChangeLog*>(test::shared_memory(sizeof(ChangeLog)));
};

TEST_F(Log, TellsEntriesOfEveryLengthInOrder) {
  constexpr std::uint64_t kEntries = sizeof(LogEntry::body) + 1;  // fewer than there are places
  for (std::uint64_t i = 0; i < kEntries; ++i)
    append(log, entry_of(i));
  std::uint64_t place = 0;
  std::uint64_t number = 0;
  LogEntry entry{};
  for (std::uint64_t i = 0; i < kEntries; ++i) {
    ASSERT_TRUE(next_entry(*log, &place, &entry, &number));
    EXPECT_EQ(number, i);
    EXPECT_EQ(entry.at_ns, i);
    EXPECT_TRUE(whole(entry)) << i;
  }
  EXPECT_FALSE(next_entry(*log, &place, &entry, &number));
}

// Round and round: the oldest entry has lost its beginning, and is passed over.
TEST_F(Log, WhatFellOutCanBeCounted) {
  constexpr std::uint64_t kEntries = 3 * ChangeLog::kCapacity;
  for (std::uint64_t i = 0; i < kEntries; ++i)
    append(log, entry_of(i));
  std::uint64_t place = 0;
  std::uint64_t number = 0;
  LogEntry entry{};
  ASSERT_TRUE(next_entry(*log, &place, &entry, &number));
  EXPECT_GT(number, kEntries - ChangeLog::kCapacity);
  std::uint64_t read = 1;
  for (std::uint64_t last = number; next_entry(*log, &place, &entry, &number); ++read, ++last) {
    ASSERT_EQ(number, last + 1);
    ASSERT_TRUE(whole(entry));
  }
  EXPECT_EQ(number, kEntries - 1);
  EXPECT_GT(read, ChangeLog::kCapacity / 6);
}

TEST_F(Log, SurvivesDamage) {
  append(log, entry_of(7));
  log->places[0].parts = 1000;
  std::uint64_t place = 0;
  std::uint64_t number = 0;
  LogEntry entry{};
  EXPECT_FALSE(next_entry(*log, &place, &entry, &number));
  log->written = ~std::uint64_t{0};
  place = 0;
  EXPECT_FALSE(next_entry(*log, &place, &entry, &number));
}

TEST_F(Log, ReadersSeeWholeEntriesWhileOthersWrite) {
  std::atomic<bool> done = false;
  std::atomic<unsigned> broken = 0;
  std::thread reader([&] {
    std::uint64_t place = 0;
    std::uint64_t number = 0;
    std::uint64_t last = 0;
    LogEntry entry{};
    while (!done) {
      while (next_entry(*log, &place, &entry, &number)) {
        if (!whole(entry) || entry.at_ns != number || number < last) ++broken;
        last = number;
      }
    }
  });
  for (std::uint64_t i = 0; i < 40'000; ++i)
    append(log, entry_of(i));
  done = true;
  reader.join();
  EXPECT_EQ(broken, 0U);
}

TEST_F(Log, AKilledWriterLeavesWholeEntriesWithoutAGap) {
  for (unsigned round = 0; round < 20; ++round) {
    const std::uint64_t begin = __atomic_load_n(&log->written, __ATOMIC_ACQUIRE);
    {
      Child writer([this] {
        std::uint64_t place = 0;
        std::uint64_t number = 0;
        std::uint64_t next = 0;
        LogEntry entry{};
        while (next_entry(*log, &place, &entry, &number))
          next = number + 1;
        for (;; ++next)
          append(log, entry_of(next));
        return 0;
      });
      while (__atomic_load_n(&log->written, __ATOMIC_ACQUIRE) < begin + 100 * (round + 1))
        std::this_thread::yield();
      writer.kill();
    }
    std::uint64_t place = 0;
    std::uint64_t number = 0;
    std::uint64_t last = 0;
    LogEntry entry{};
    for (bool first = true; next_entry(*log, &place, &entry, &number); first = false, last = number) {
      ASSERT_TRUE(whole(entry)) << round;
      ASSERT_EQ(entry.at_ns, number) << round;
      if (!first) {
        ASSERT_EQ(number, last + 1) << round;
      }
    }
  }
}

TEST(CallingProcess, IsThisOneAlsoAfterAFork) {
  const Caller caller = calling_process();
  EXPECT_EQ(caller.pid, static_cast<std::uint32_t>(::getpid()));
  EXPECT_EQ(caller.user, ::geteuid());
  EXPECT_NE(caller.pid_namespace, 0U);
  EXPECT_EQ(std::strncmp(caller.name, "machine_change_", 15), 0) << caller.name;
  Child child([] { return calling_process().pid == static_cast<std::uint32_t>(::getpid()) ? 0 : 1; });
  EXPECT_EQ(child.wait(), 0);
}

}  // namespace
}  // namespace nvmlab
