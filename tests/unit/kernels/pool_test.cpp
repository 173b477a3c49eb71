// SPDX-License-Identifier: Apache-2.0
// Jobs on the threads of the pool: everything that was begun is done when run() returns, however short it is.
#include <gtest/gtest.h>

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
  std::atomic<std::uint32_t> inside{0};
  std::atomic<std::uint32_t> jobs{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 6; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 500; ++round) {
        pool.run(1, [&] {
          EXPECT_EQ(inside.fetch_add(1), 0U) << "one job at a time";
          jobs.fetch_add(1);
          inside.fetch_sub(1);
        });
      }
    });
  }
  for (std::thread& each : callers)
    each.join();
  EXPECT_EQ(jobs.load(), 3000U);
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
