// SPDX-License-Identifier: Apache-2.0
// The clock of a machine: its arithmetic, its changes, and that nobody ever sees it go backwards.
#include "engine/store/machine_clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <fcntl.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <memory>
#include <thread>
#include <vector>

#include "engine/change/change.hpp"
#include "engine/store/store_file.hpp"
#include "engine/topics/events/event_types.hpp"
#include "engine/topics/processes/process_kinds.hpp"
#include "tests/unit/machine/child.hpp"
#include "tests/unit/machine/folder.hpp"
#include "tests/unit/machine/sample.hpp"

namespace nvmlab {
namespace {

using test::Child;
using test::SampleImage;

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kHour = 3600 * kSecond;

constexpr ClockSegment running(ClockMode mode, std::uint64_t rate) {
  return {1000 * kSecond, 50 * kSecond, rate, mode, ClockMode::real};
}

TEST(ClockArithmetic, TimePassesAtTheRate) {
  constexpr ClockSegment real = running(ClockMode::real, kRealRate);
  static_assert(machine_time_at(real, 50 * kSecond) == 1000 * kSecond);
  static_assert(machine_time_at(real, 53 * kSecond) == 1003 * kSecond);
  static_assert(machine_time_at(real, 0) == 1000 * kSecond, "a host whose clock lies behind, in a time namespace");
  static_assert(machine_time_at(running(ClockMode::scaled, 60 * kRealRate), 51 * kSecond) == 1060 * kSecond);
  static_assert(machine_time_at(running(ClockMode::scaled, kRealRate / 4), 51 * kSecond) ==
                1000 * kSecond + kSecond / 4);
  static_assert(machine_time_at(running(ClockMode::scaled, kSlowestRate), 51 * kSecond) == 1000 * kSecond + 1000);
  static_assert(machine_time_at(running(ClockMode::frozen, kRealRate), 99 * kSecond) == 1000 * kSecond);
  static_assert(machine_time_at(running(ClockMode::virtual_time, kRealRate), 99 * kSecond) == 1000 * kSecond);
}

TEST(ClockArithmetic, EndsWhereNumbersEnd) {
  constexpr ClockSegment fastest = running(ClockMode::scaled, kFastestRate);
  constexpr std::uint64_t last_host = ~std::uint64_t{0};
  static_assert(machine_time_at(fastest, last_host) == kLastTime);
  static_assert(machine_time_at(fastest, 50 * kSecond + kLastTime / 1'000'000) == kLastTime);
  static_assert(machine_time_at(fastest, 50 * kSecond + 9'000 * kSecond) == (1000 + 9'000'000'000) * kSecond);
  ClockSegment late = running(ClockMode::real, kRealRate);
  late.machine_ns = kLastTime - 1;
  EXPECT_EQ(machine_time_at(late, 50 * kSecond + 1), kLastTime);
  EXPECT_EQ(machine_time_at(late, last_host), kLastTime);
}

TEST(ClockArithmetic, GrowsWithTheHostsClockAtEveryRate) {
  for (const std::uint64_t rate : {std::uint64_t{1}, kRealRate - 1, kRealRate + 1, std::uint64_t{123'456'789'012}}) {
    std::uint64_t before = 0;
    for (std::uint64_t host = 50 * kSecond; host < 50 * kSecond + 5 * kRealRate; host += 999) {
      const std::uint64_t now = machine_time_at(running(ClockMode::scaled, rate), host);
      ASSERT_GE(now, before) << rate << " " << host;
      before = now;
    }
  }
}

class ClockOf : public testing::Test {
 protected:
  void begin(ClockMode mode) { begin_clock(clock.get(), {.mode = mode}); }
  template <class Change>
  Code change(const Change& change) {
    ClockEdit draft(*clock);
    const Code code = make(change, draft);
    if (code == kSuccess) draft.publish();
    return code;
  }
  std::uint64_t now() const { return machine_time_ns(*clock); }
  ClockMode mode() const { return read_clock(*clock).segment.mode; }

  std::unique_ptr<MachineClock> clock = std::make_unique<MachineClock>();
};

TEST_F(ClockOf, AVirtualMachineBeginsAtItsBeginningAndMovesWhenTold) {
  begin(ClockMode::virtual_time);
  EXPECT_EQ(now(), kVirtualBeginning);
  EXPECT_EQ(change(AdvanceMachineClock{kHour}), kSuccess);
  EXPECT_EQ(change(AdvanceMachineClock{1}), kSuccess);
  EXPECT_EQ(now(), kVirtualBeginning + kHour + 1);
  EXPECT_EQ(change(SetMachineClock{ClockMode::virtual_time, 0}), kSuccess) << "which it is";
  EXPECT_EQ(now(), kVirtualBeginning + kHour + 1);
}

TEST_F(ClockOf, ARealOneShowsTheHostsTime) {
  const std::uint64_t before = sys::realtime_ns();
  begin(ClockMode::real);
  const std::uint64_t shown = now();
  EXPECT_GE(shown, before);
  EXPECT_LE(shown, sys::realtime_ns());
}

TEST_F(ClockOf, AdvancedOnceARealOneStaysAhead) {
  begin(ClockMode::real);
  EXPECT_EQ(change(AdvanceMachineClock{kHour}), kSuccess);
  EXPECT_EQ(change(SetMachineClock{ClockMode::real, kRealRate}), kSuccess);
  EXPECT_GE(now() + kSecond, sys::realtime_ns() + kHour);
  EXPECT_LE(now(), sys::realtime_ns() + kHour + kSecond);
}

TEST_F(ClockOf, OneThatLiesBehindJumpsToTheHostsTimeWhenItIsMadeReal) {
  begin(ClockMode::virtual_time);  // in the past, by the clocks of all who run this
  ASSERT_LT(now(), sys::realtime_ns());
  EXPECT_EQ(change(SetMachineClock{ClockMode::real, kRealRate}), kSuccess);
  EXPECT_GE(now() + kSecond, sys::realtime_ns());
}

TEST_F(ClockOf, AFrozenOneResumesAsItWas) {
  begin(ClockMode::real);
  ASSERT_EQ(change(SetMachineClock{ClockMode::scaled, 5 * kRealRate}), kSuccess);
  ASSERT_EQ(change(SetMachineClock{ClockMode::frozen, 0}), kSuccess);
  ASSERT_EQ(change(SetMachineClock{ClockMode::frozen, 0}), kSuccess) << "which it is";
  const std::uint64_t stood = now();
  EXPECT_EQ(now(), stood);
  EXPECT_EQ(change(AdvanceMachineClock{1}), kInvalidState);
  EXPECT_EQ(change(ResumeMachineClock{}), kSuccess);
  EXPECT_EQ(mode(), ClockMode::scaled);
  EXPECT_EQ(read_clock(*clock).segment.rate, 5 * kRealRate);
  EXPECT_GE(now(), stood);
  EXPECT_LT(now(), stood + 60 * kSecond) << "the time that it stood is not made up for";
  EXPECT_EQ(change(ResumeMachineClock{}), kInvalidState);
  ASSERT_EQ(change(SetMachineClock{ClockMode::virtual_time, 0}), kSuccess);
  ASSERT_EQ(change(SetMachineClock{ClockMode::frozen, 0}), kSuccess);
  EXPECT_EQ(change(ResumeMachineClock{}), kSuccess);
  EXPECT_EQ(mode(), ClockMode::virtual_time);
}

TEST_F(ClockOf, RefusesWhatIsImpossibleAndStaysAsItWas) {
  begin(ClockMode::virtual_time);
  EXPECT_EQ(change(SetMachineClock{ClockMode::scaled, 0}), kInvalidArgument);
  EXPECT_EQ(change(SetMachineClock{ClockMode::scaled, kFastestRate + 1}), kInvalidArgument);
  EXPECT_EQ(change(SetMachineClock{static_cast<ClockMode>(4), kRealRate}), kInvalidArgument);
  EXPECT_EQ(change(AdvanceMachineClock{kLastTime - kVirtualBeginning + 1}), kInvalidArgument);
  EXPECT_EQ(change(AdvanceMachineClock{~std::uint64_t{0}}), kInvalidArgument);
  EXPECT_EQ(now(), kVirtualBeginning);
  EXPECT_EQ(clock->sequence, 0U);
  EXPECT_EQ(change(AdvanceMachineClock{kLastTime - kVirtualBeginning}), kSuccess);
  EXPECT_EQ(now(), kLastTime);
  EXPECT_EQ(change(AdvanceMachineClock{1}), kInvalidArgument);
  EXPECT_EQ(change(SetMachineClock{ClockMode::scaled, kFastestRate}), kSuccess);
  EXPECT_EQ(now(), kLastTime) << "there it stands";
}

TEST_F(ClockOf, ZerosAreAClockThatHangsNobody) {
  const std::uint64_t shown = now();
  EXPECT_LE(shown, sys::monotonic_ns());
}

// Every sequence of changes, with readers of another process that may not write.
TEST(SharedClock, NobodySeesItGoBackwards) {
  auto* clock = static_cast<MachineClock*>(test::shared_memory(sizeof(MachineClock)));
  auto* seen = static_cast<std::uint64_t*>(test::shared_memory(64));  // the latest time that anybody was told
  auto* done = reinterpret_cast<std::uint32_t*>(seen + 1);
  auto* readers = done + 1;
  begin_clock(clock, {});
  const auto read_on = [clock, seen, done, readers] {
    __atomic_fetch_add(readers, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(done, __ATOMIC_ACQUIRE) == 0) {
      const std::uint64_t known = __atomic_load_n(seen, __ATOMIC_ACQUIRE);
      const std::uint64_t now = machine_time_ns(*clock);
      if (now < known) return 1;
      std::uint64_t latest = known;
      while (latest < now &&
             !__atomic_compare_exchange_n(seen, &latest, now, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      }
    }
    return 0;
  };
  {
    Child one(read_on);
    Child other(read_on);
    while (__atomic_load_n(readers, __ATOMIC_ACQUIRE) < 2)
      sys::pause(100'000);
    for (int round = 0; round < 200'000; ++round) {
      ClockEdit draft(*clock);
      constexpr SetMachineClock kModes[] = {{ClockMode::real, kRealRate},
                                            {ClockMode::scaled, 1000 * kRealRate},
                                            {ClockMode::virtual_time, 0},
                                            {ClockMode::scaled, kRealRate / 1000},
                                            {ClockMode::frozen, 0}};
      EXPECT_EQ(make(kModes[round % 5], draft), kSuccess);
      draft.publish();
    }
    __atomic_store_n(done, 1U, __ATOMIC_RELEASE);
    EXPECT_EQ(one.wait(), 0);
    EXPECT_EQ(other.wait(), 0);
  }
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class StoreWithClock : public testing::Test {
 protected:
  // A machine brought up, some hours of its life, and what lies in its file then.
  std::string life(const std::string& folder, std::uint64_t seed) {
    const std::string path = folder_.path() + "/" + folder + "/node.store";
    SampleImage image(2);
    for (int i = 0; i < 2; ++i) {
      image.gpus()[i].memory.total_bytes.set(1 << 30);
      image.gpus()[i].memory.used_bytes.set(0);
      image.gpus()[i].modes.accounting.set(1);
    }
    image.write("sample");
    const ClockBeginning beginning{ClockMode::virtual_time, kRealRate, true, seed};
    EXPECT_FALSE(create_store(path.c_str(), image.view(), 2, "node", {}, beginning));
    AttachedStore attached;
    EXPECT_FALSE(attach_store(path.c_str(), &attached));
    MachineAccess machine{*attached.store, attached.file, true};
    StartProcess process{};
    process.pid = 4242;
    process.kinds = kComputeProcess;
    process.used_bytes = 1 << 20;
    const Change changes[] = {make_change(0, process),
                              make_change(MachinePart::clock, AdvanceMachineClock{kHour}),
                              make_change(1, RaiseEvent{kXidEvent, 79, kNoInstance, kNoInstance, false}),
                              make_change(0, EndProcess{4242}),
                              make_change(MachinePart::clock, AdvanceMachineClock{kHour}),
                              make_change(1, ResetGpu{})};
    for (const Change& change : changes)
      EXPECT_EQ(apply(machine, change).code, kSuccess);
    up_since_us = read_field(attached.store->gpus()[1], &Gpu::identity, &Identity::up_since_us).value_or(0);
    event_ns = attached.store->events.slots[0].event.at_ns;
    accounted_ms = consistent(attached.store->gpus()[0],
                              [](const Gpu& gpu) { return load(gpu.accounting.ended[0].time_ms).value_or(0); });
    detach_store(&attached);
    return bytes_of(path);
  }

  test::Folder folder_;
  std::uint64_t up_since_us = 0;
  std::uint64_t event_ns = 0;
  std::uint64_t accounted_ms = 0;
};

TEST_F(StoreWithClock, OneSeedGivesEqualBytesAndAnotherDoesNot) {
  const std::string one = life("one", 7);
  ASSERT_GT(one.size(), sizeof(Store));
  const std::string two = life("two", 7);
  ASSERT_EQ(one.size(), two.size());
  const auto differs = std::ranges::mismatch(one, two).in1 - one.begin();
  EXPECT_TRUE(one == two) << "at byte " << differs;
  EXPECT_FALSE(one == life("three", 8));
}

// Each of them is a single change that comes hours after what it settles.
TEST_F(StoreWithClock, ChangesStampMachineTime) {
  life("one", 7);
  EXPECT_EQ(accounted_ms, 3'600'000U);
  EXPECT_EQ(event_ns, kVirtualBeginning + kHour);
  EXPECT_EQ(up_since_us, (kVirtualBeginning + 2 * kHour) / 1000);
}

TEST_F(StoreWithClock, AReaderNeedsNoRightToWrite) {
  const std::string path = folder_.path() + "/node.store";
  SampleImage image(1);
  ASSERT_FALSE(create_store(path.c_str(), image.view(), 1, "node", {}, {ClockMode::virtual_time, kRealRate, true, 1}));
  AttachedStore attached;
  ASSERT_FALSE(attach_store(path.c_str(), &attached));
  const int fd = sys::open_file(path.c_str(), O_RDONLY, 0);
  ASSERT_GE(fd, 0);
  auto* read_only = static_cast<const Store*>(sys::map_shared(fd, attached.size, false));
  sys::close_file(fd);
  ASSERT_NE(read_only, nullptr);
  MachineAccess machine{*attached.store, attached.file, true};
  EXPECT_EQ(machine_time_ns(read_only->clock), kVirtualBeginning);
  ASSERT_EQ(apply(machine, make_change(MachinePart::clock, AdvanceMachineClock{kHour})).code, kSuccess);
  EXPECT_EQ(machine_time_ns(read_only->clock), kVirtualBeginning + kHour);
  ASSERT_EQ(apply(machine, make_change(MachinePart::clock, SetMachineClock{ClockMode::scaled, 1000 * kRealRate})).code,
            kSuccess);
  EXPECT_GE(machine_time_ns(read_only->clock), kVirtualBeginning + kHour);
  detach_store(&attached);
}

// All changes of a batch are made, or none.
TEST_F(StoreWithClock, ABatchThatIsRefusedLeavesTheClock) {
  const std::string path = folder_.path() + "/node.store";
  SampleImage image(1);
  ASSERT_FALSE(create_store(path.c_str(), image.view(), 1, "node", {}, {ClockMode::virtual_time, kRealRate, true, 1}));
  AttachedStore attached;
  ASSERT_FALSE(attach_store(path.c_str(), &attached));
  MachineAccess machine{*attached.store, attached.file, true};
  const Change changes[] = {make_change(MachinePart::clock, AdvanceMachineClock{kHour}), make_change(0, EndProcess{1})};
  const Applied applied = apply(machine, changes, 2);
  EXPECT_EQ(applied.code, kNotFound);
  EXPECT_EQ(applied.failed, 1U);
  EXPECT_EQ(machine_time_ns(attached.store->clock), kVirtualBeginning);
  MachineAccess by_anybody{*attached.store, attached.file, false};
  EXPECT_EQ(apply(by_anybody, changes[0]).code, kNoPermission);
  detach_store(&attached);
}

}  // namespace
}  // namespace nvmlab
