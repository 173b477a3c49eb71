// SPDX-License-Identifier: Apache-2.0
// The ring of events: nothing is told twice, in another order or in part, and what is lost is counted.
#include "engine/store/event_ring.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "tests/unit/machine/child.hpp"

namespace nvmlab {
namespace {

using test::Child;

// An event that can be told from every other, and whose parts can be told to belong together.
Event event_of(std::uint64_t number) {
  return {.type = 8,
          .data = number,
          .at_ns = ~number,
          .gpu = static_cast<std::uint32_t>(number),
          .gpu_instance = static_cast<std::uint32_t>(number >> 1),
          .compute_instance = static_cast<std::uint32_t>(number * 3),
          .of_machine = 0};
}

bool whole(const Event& event) {
  const Event same = event_of(event.data);
  return std::memcmp(&event, &same, sizeof event) == 0;
}

class Ring : public testing::Test {
 protected:
  EventRing* ring = static_cast<EventRing*>(test::shared_memory(sizeof(EventRing)));
};

TEST_F(Ring, TellsEachEventOnceAndInOrder) {
  std::uint64_t next = 0;
  std::uint64_t missed = 0;
  Event event{};
  EXPECT_FALSE(next_event(*ring, &next, &missed, &event));
  for (std::uint64_t i = 0; i < 3; ++i)
    raise(ring, event_of(i));
  for (std::uint64_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(next_event(*ring, &next, &missed, &event));
    EXPECT_EQ(event.data, i);
    EXPECT_TRUE(whole(event));
  }
  EXPECT_FALSE(next_event(*ring, &next, &missed, &event));
  EXPECT_EQ(missed, 0U);
}

TEST_F(Ring, CountsWhatASlowReaderMissed) {
  constexpr std::uint64_t kRaised = EventRing::kCapacity + 10;
  for (std::uint64_t i = 0; i < kRaised; ++i)
    raise(ring, event_of(i));
  std::uint64_t next = 0;
  std::uint64_t missed = 0;
  Event event{};
  ASSERT_TRUE(next_event(*ring, &next, &missed, &event));
  EXPECT_EQ(missed, 10U);
  EXPECT_EQ(event.data, 10U);
  std::uint64_t read = 1;
  while (next_event(*ring, &next, &missed, &event))
    ++read;
  EXPECT_EQ(read + missed, kRaised);
}

// A count that somebody has damaged leads nowhere else, and to an end.
TEST_F(Ring, SurvivesADamagedCount) {
  raise(ring, event_of(0));
  ring->raised = ~std::uint64_t{0};
  std::uint64_t next = 0;
  std::uint64_t missed = 0;
  Event event{};
  EXPECT_FALSE(next_event(*ring, &next, &missed, &event));
}

TEST_F(Ring, ManyReadersSeeWholeEventsAndCountTheRest) {
  constexpr std::uint64_t kRaised = 60'000;
  constexpr unsigned kReaders = 4;
  std::atomic<bool> done = false;
  std::vector<std::uint64_t> sums(kReaders);
  std::atomic<unsigned> broken = 0;
  std::vector<std::thread> readers;
  for (unsigned i = 0; i < kReaders; ++i) {
    readers.emplace_back([&, i] {
      std::uint64_t next = 0;
      std::uint64_t missed = 0;
      std::uint64_t read = 0;
      std::uint64_t last = 0;
      Event event{};
      for (bool more = true; more;) {
        more = !done;
        while (next_event(*ring, &next, &missed, &event)) {
          if (!whole(event) || (read > 0 && event.data <= last)) ++broken;
          last = event.data;
          ++read;
        }
      }
      sums[i] = read + missed;
    });
  }
  for (std::uint64_t i = 0; i < kRaised; ++i)
    raise(ring, event_of(i));
  done = true;
  for (auto& reader : readers)
    reader.join();
  EXPECT_EQ(broken, 0U);
  for (const std::uint64_t sum : sums)
    EXPECT_EQ(sum, kRaised);
}

// Whoever raises is killed somewhere; what is there afterwards is whole, and the next event follows.
TEST_F(Ring, AKilledWriterLeavesWholeEvents) {
  for (unsigned round = 0; round < 20; ++round) {
    const std::uint64_t begin = events_raised(*ring);
    {
      Child writer([this, begin] {
        for (std::uint64_t i = begin;; ++i)
          raise(ring, event_of(i));
        return 0;
      });
      while (events_raised(*ring) < begin + 100 * (round + 1))
        std::this_thread::yield();
      writer.kill();
    }
    const std::uint64_t raised = events_raised(*ring);
    raise(ring, event_of(raised));
    std::uint64_t next = begin;
    std::uint64_t missed = 0;
    std::uint64_t read = 0;
    Event event{};
    while (next_event(*ring, &next, &missed, &event)) {
      ASSERT_TRUE(whole(event)) << round;
      ++read;
    }
    EXPECT_EQ(event.data, raised);
    EXPECT_EQ(read + missed, raised + 1 - begin);
  }
}

}  // namespace
}  // namespace nvmlab
