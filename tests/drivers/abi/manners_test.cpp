// SPDX-License-Identifier: Apache-2.0
//
// The driver is a guest: no thread, no signal handler, no memory after init, no open file, nothing on stdout or stderr,
// and it works where the host has closed its standard descriptors. Includes a malloc that counts
// (allocation_count.hpp).
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/drivers/abi/allocation_count.hpp"
#include "tests/drivers/abi/driver.hpp"
#include "tests/drivers/abi/process_state.hpp"

namespace {

using namespace nvmlab::abi_test;

TEST(Manners, TheAllocationCounterCounts) {
  const auto before = allocation_count();
  for (void* volatile block : {std::malloc(10), std::calloc(1, 100)})
    std::free(block);
  EXPECT_EQ(allocation_count(), before + 2);
}

TEST(Manners, NoThreadNoHandlerNoFileNoAllocation) {
  const Driver driver;
  ASSERT_TRUE(driver.open()) << driver.error();
  const auto loaded = ProcessState::now();

  const auto allocations = allocation_count();
  ASSERT_EQ(driver.init(), kSuccess);
  ASSERT_EQ(driver.read_everything(), 0);
  EXPECT_EQ(allocation_count(), allocations) << "init and getters allocate nothing";

  const auto running = ProcessState::now();
  EXPECT_EQ(running.threads, loaded.threads);
  EXPECT_EQ(running.signal_handlers, loaded.signal_handlers);
  EXPECT_EQ(running.blocked_signals, loaded.blocked_signals);
  EXPECT_EQ(running.open_files, loaded.open_files);

  const auto looping = allocation_count();
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(driver.read_everything(), 0);
  EXPECT_EQ(allocation_count(), looping);
  const auto after = ProcessState::now();
  EXPECT_EQ(after.mappings_without_heap(), running.mappings_without_heap());
  EXPECT_EQ(after.open_files, running.open_files);
  EXPECT_EQ(after.threads, running.threads);
  EXPECT_EQ(driver.shutdown(), kSuccess);
}

TEST(Manners, PrintsNothing) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  EXPECT_EQ(
      in_child([&] {
        ::dup2(pipe_ends[1], STDOUT_FILENO);
        ::dup2(pipe_ends[1], STDERR_FILENO);
        const Driver driver;
        if (driver.init() != kSuccess) return 1;
        if (const int wrong = driver.read_everything(); wrong != 0) return wrong;
        if (driver.call<int(Handle, int, unsigned*)>("nvmlDeviceGetTemperature", nullptr, 99, nullptr) == kSuccess)
          return 2;
        return driver.shutdown();
      }),
      "exit 0");
  ::close(pipe_ends[1]);
  char byte = 0;
  EXPECT_EQ(::read(pipe_ends[0], &byte, 1), 0) << "the driver printed something";
  ::close(pipe_ends[0]);
}

TEST(Manners, WorksWithoutStandardDescriptors) {
  EXPECT_EQ(in_child([] {
              for (const int standard : {0, 1, 2})
                ::close(standard);
              const Driver driver;
              if (!driver.open()) return 1;
              if (driver.init() != kSuccess) return 2;
              if (const int wrong = driver.read_everything(); wrong != 0) return wrong;
              // A file that the driver left open there would receive what the host prints next.
              for (const int standard : {0, 1, 2}) {
                if (::fcntl(standard, F_GETFD) != -1) return 3;
              }
              if (driver.shutdown() != kSuccess) return 4;
              return ::open("/dev/null", O_RDONLY) == 0 ? 0 : 5;
            }),
            "exit 0");
}

TEST(Manners, ErrnoSurvivesACall) {
  const Driver driver;
  ASSERT_EQ(driver.init(), kSuccess);
  errno = 77;
  EXPECT_EQ(driver.read_everything(), 0);
  EXPECT_EQ(errno, 77);
  EXPECT_EQ(driver.shutdown(), kSuccess);
}

TEST(Manners, ThreadsMayInitReadAndShutDownAtOnce) {
  EXPECT_EQ(in_child([] {
              const Driver driver;
              if (driver.init() != kSuccess) return 1;  // held, so that the readers below always find it initialised
              std::atomic<int> wrong = 0;
              std::vector<std::thread> threads;
              for (int t = 0; t < 4; ++t) {
                threads.emplace_back([&] {
                  for (int i = 0; i < 200; ++i) {
                    if (driver.init() != kSuccess) wrong = 2;
                    if (const int code = driver.read_everything(); code != 0) wrong = code;
                    if (driver.shutdown() != kSuccess) wrong = 3;
                  }
                });
              }
              for (auto& thread : threads)
                thread.join();
              if (wrong != 0) return wrong.load();
              if (driver.read_everything() != 0) return 4;
              if (driver.shutdown() != kSuccess) return 5;
              unsigned gpus = 0;
              return driver.count(gpus) == kUninitialized ? 0 : 6;  // the last shutdown ended it
            }),
            "exit 0");
}

}  // namespace
