// SPDX-License-Identifier: Apache-2.0
// Jobs on the threads of the pool: everything that was begun is done when run() returns, however short it is.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "kernels/run/pool.hpp"

namespace nvmlab::kernels_test {
namespace {

using kernels::Pool;

TEST(Pool, AllThatWasBegunIsDone) {
  Pool& pool = *Pool::get();
  for (std::uint32_t round = 0; round < 20'000; ++round) {
    std::atomic<std::uint32_t> next{0};
    std::atomic<std::uint32_t> sum{0};
    std::atomic<std::uint32_t> inside{0};
    const std::uint32_t parts = round % 37;
    pool.run(1 + round % 5, [&] {
      inside.fetch_add(1);
      for (std::uint32_t part = next.fetch_add(1); part < parts; part = next.fetch_add(1))
        sum.fetch_add(part + 1);
      inside.fetch_sub(1);
    });
    ASSERT_EQ(inside.load(), 0U) << round;
    ASSERT_EQ(sum.load(), parts * (parts + 1) / 2) << round;
  }
}

TEST(Pool, ManyWantItAtOnce) {
  Pool& pool = *Pool::get();
  std::atomic<std::uint32_t> jobs{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 6; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 500; ++round) {
        std::atomic<std::uint32_t> inside{0};
        pool.run(1, [&] {
          EXPECT_EQ(inside.fetch_add(1), 0U) << "one thread was asked for";
          jobs.fetch_add(1);
          inside.fetch_sub(1);
        });
        ASSERT_EQ(inside.load(), 0U);
      }
    });
  }
  for (std::thread& each : callers)
    each.join();
  EXPECT_EQ(jobs.load(), 3000U);
}

// Each needs all others to have begun, and takes all the threads that a job can have.
TEST(Pool, JobsMayWaitForEachOther) {
  Pool& pool = *Pool::get();
  constexpr std::uint32_t kJobs = 24;
  std::atomic<std::uint32_t> begun{0};
  std::vector<std::thread> callers;
  for (std::uint32_t i = 0; i < kJobs; ++i) {
    callers.emplace_back([&] {
      std::atomic<bool> counted{false};
      pool.run(pool.size(), [&] {
        if (!counted.exchange(true)) begun.fetch_add(1);
        while (begun.load() < kJobs)
          std::this_thread::yield();
      });
    });
  }
  for (std::thread& each : callers)
    each.join();
  EXPECT_EQ(begun.load(), kJobs);
}

// More at once than there are resident grids on a GPU: the others wait for their turn.
TEST(Pool, MoreJobsThanCrewsAllEnd) {
  Pool& pool = *Pool::get();
  std::atomic<std::uint32_t> done{0};
  std::vector<std::thread> callers;
  for (std::uint32_t i = 0; i < 200; ++i) {
    callers.emplace_back([&] {
      pool.run(1, [&] {
        for (int turn = 0; turn < 20; ++turn)
          std::this_thread::yield();
        done.fetch_add(1);
      });
    });
  }
  for (std::thread& each : callers)
    each.join();
  EXPECT_EQ(done.load(), 200U);
}

// Threads that work wait for each other: that needs as many as were asked for.
TEST(Pool, AsManyAsThereAreWorkSideBySide) {
  Pool& pool = *Pool::get();
  const std::uint32_t wanted = pool.size();
  std::atomic<std::uint32_t> here{0};
  pool.run(wanted, [&] {
    here.fetch_add(1);
    while (here.load() < wanted)
      std::this_thread::yield();
  });
  EXPECT_EQ(here.load(), wanted);
}

}  // namespace
}  // namespace nvmlab::kernels_test
