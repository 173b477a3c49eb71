// SPDX-License-Identifier: Apache-2.0
//
// Eight threads that use one library at once: init and shutdown are counted across them, and getters between a thread's
// own init and shutdown always answer, whatever the others do. Setters and getters on one shared machine likewise.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/drivers/functions/support/machine.hpp"

namespace nvmlab::driver_test {
namespace {

constexpr unsigned kThreads = 8;

void in_threads(const std::function<void(unsigned)>& work) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i)
    threads.emplace_back(work, i);
  for (std::thread& thread : threads)
    thread.join();
}

// One round of getters; the number of those that did not answer.
unsigned read_some(const Driver& driver, unsigned gpu) {
  unsigned wrong = 0;
  const Word device = driver.device(gpu % 8);
  wrong += device == 0 ? 1 : 0;
  unsigned index = 0;
  wrong += driver.call("nvmlDeviceGetIndex", device, &index) != kSuccess || index != gpu % 8 ? 1 : 0;
  std::array<unsigned long long, 3> memory{};
  wrong += driver.call("nvmlDeviceGetMemoryInfo", device, memory.data()) != kSuccess ? 1 : 0;
  wrong += memory[0] != memory[1] + memory[2] ? 1 : 0;
  wrong += driver.text("nvmlDeviceGetName", device) != "NVIDIA A100-SXM4-40GB" ? 1 : 0;
  return wrong;
}

TEST(Threads, InitAndShutdownAreCountedAcrossThreads) {
  const Driver& driver = Driver::get();
  std::atomic<unsigned> wrong = 0;
  in_threads([&](unsigned thread) {
    for (unsigned round = 0; round < 200; ++round) {
      wrong += driver.init() != kSuccess ? 1 : 0;
      wrong += read_some(driver, thread + round);
      wrong += driver.shutdown() != kSuccess ? 1 : 0;
    }
  });
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(driver.count(), 0xFFFFU) << "as many shutdowns as inits";
}

TEST(Threads, EventSetsAreNeverHandedOutTwice) {
  const Driver& driver = Driver::get();
  ASSERT_EQ(driver.init(), kSuccess);
  std::atomic<unsigned> wrong = 0;
  in_threads([&](unsigned) {
    for (unsigned round = 0; round < 200; ++round) {
      std::array<Word, 4> sets{};
      for (Word& set : sets)
        wrong += driver.call("nvmlEventSetCreate", &set) != kSuccess ? 1 : 0;
      // A set that another thread also holds would be free already for one of the two.
      for (const Word set : sets)
        wrong += driver.call("nvmlEventSetFree", set) != kSuccess ? 1 : 0;
    }
  });
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(driver.shutdown(), kSuccess);
}

TEST(Threads, WritersAndReadersOfOneGpuSeeWholeChanges) {
  const SharedMachine machine("dgx-a100");
  const auto said = as_root([] {
    const Driver& driver = Driver::get();
    if (driver.init() != kSuccess) return std::string("no init");
    const Word device = driver.device(0);
    std::atomic<unsigned> wrong = 0;
    in_threads([&](unsigned thread) {
      for (unsigned round = 0; round < 300; ++round) {
        if (thread % 2 == 0) {
          const unsigned watts = 100 + (thread * 37 + round) % 301;
          wrong += driver.call("nvmlDeviceSetPowerManagementLimit", device, watts * 1000) != kSuccess ? 1 : 0;
        } else {
          unsigned limit = 0;
          wrong += driver.call("nvmlDeviceGetPowerManagementLimit", device, &limit) != kSuccess ? 1 : 0;
          wrong += limit % 1000 != 0 || limit < 100'000 || limit > 400'000 ? 1 : 0;
        }
      }
    });
    return wrong == 0 ? std::string() : std::to_string(wrong) + " calls went wrong";
  });
  if (!said) GTEST_SKIP() << "needs root or a user namespace";
  EXPECT_EQ(*said, "");
}

}  // namespace
}  // namespace nvmlab::driver_test
