// SPDX-License-Identifier: Apache-2.0
//
// How long things last: what a setter set outlives shutdown, a changed environment is another machine, one process sets
// what another reads; that waiting waits.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/drivers/functions/support/steps.hpp"
#include "tests/support/waiting.hpp"

#ifdef __SANITIZE_THREAD__
// That a machine becomes zeros under those who still read it is meant (keep() in drivers/nvml/lifecycle.cpp): the
// kernel exchanges the pages, and each word is of one or the other. The history is long enough to know who did it.
extern "C" const char* __tsan_default_suppressions() { return "race:nvmlab::sys::map_zeros\n"; }
extern "C" const char* __tsan_default_options() { return "history_size=7"; }
#endif

namespace nvmlab::driver_test {
namespace {

TEST(Lifecycle, StateSurvivesShutdownWithinOneProcess) {
  EXPECT_AS_ROOT([] {
    Steps steps;
    steps.expect(driver().init(), kSuccess, "init").expect(set_limit(2, 250'000), kSuccess, "set");
    const Word before = driver().device(2);
    steps.expect(driver().shutdown(), kSuccess, "shutdown").expect(driver().init(), kSuccess, "init again");
    steps.equal(limit_of(before), 250'000, "limit through the handle of before");
    steps.equal(limit_of(driver().device(2)), 250'000, "limit")
        .equal(limit_of(driver().device(3)), 400'000, "limit of another GPU");
    return steps.said();
  });
}

TEST(Lifecycle, AChangedEnvironmentIsAnotherMachine) {
  EXPECT_AS_ROOT([] {
    Steps steps;
    steps.expect(driver().init(), kSuccess, "init").expect(set_limit(0, 250'000), kSuccess, "set");
    driver().shutdown();
    {
      const Environment other{{"NVMLAB_GPUS", "3"}};
      steps.expect(driver().init(), kSuccess, "init of three")
          .equal(driver().count(), 3, "count")
          .equal(limit_of(driver().device(0)), 400'000, "limit");
      driver().shutdown();
    }
    {
      const Environment other{{"NVMLAB_PROFILE", "g4dn-xlarge"}};
      steps.expect(driver().init(), kSuccess, "init of T4").equal(driver().count(), 1, "count");
      driver().shutdown();
    }
    {
      const Environment wrong{{"NVMLAB_GPUS", "many"}, {"NVMLAB_LOG", "off"}};
      steps.expect(driver().init(), kUnknown, "init of nonsense").equal(driver().count(), 0xFFFF, "count");
    }
    steps.expect(driver().init(), kSuccess, "init").equal(driver().count(), 8, "count");
    // Within an init the environment no longer matters.
    const Environment late{{"NVMLAB_GPUS", "5"}};
    steps.expect(driver().init(), kSuccess, "second init").equal(driver().count(), 8, "count");
    return steps.said();
  });
}

TEST(Lifecycle, WhatOneProcessSetsAnotherReads) {
  const SharedMachine machine("dgx-h100", "570");
  ASSERT_EQ(driver().init(), kSuccess);
  const Word device = driver().device(5);
  EXPECT_EQ(limit_of(device), 700'000U);
  EXPECT_AS_ROOT([] {
    Steps steps;
    return steps.expect(driver().init(), kSuccess, "init").expect(set_limit(5, 345'000), kSuccess, "set").said();
  });
  EXPECT_EQ(limit_of(device), 345'000U) << "an initialised process sees it at once";
  EXPECT_EQ(machine.gpu(5).power.limit_mw.value, 345'000U);
  EXPECT_EQ(
      in_child([] { return driver().init() == kSuccess ? std::to_string(limit_of(driver().device(5))) : "no init"; }),
      "345000");
  EXPECT_EQ(driver().shutdown(), kSuccess);
}

// Four processes write and four read; a reader never sees a limit without its enforced twin.
TEST(Lifecycle, FourWritersAndFourReaders) {
  const SharedMachine machine("dgx-a100", "570");
  EXPECT_AS_ROOT([] {
    std::vector<pid_t> children;
    for (unsigned i = 0; i < 8; ++i) {
      const pid_t child = ::fork();
      if (child != 0) {
        children.push_back(child);
        continue;
      }
      bool good = driver().init() == kSuccess;
      const Word device = driver().device(1);
      for (unsigned round = 0; good && round < 400; ++round) {
        if (i % 2 == 0) {
          good = driver().call("nvmlDeviceSetPowerManagementLimit", device, (100 + (i * 53 + round) % 301) * 1000) ==
                 kSuccess;
        } else {
          const unsigned limit = limit_of(device);
          good = limit >= 100'000 && limit <= 400'000 && limit % 1000 == 0;
        }
      }
      ::_exit(good ? 0 : 1);
    }
    std::string said;
    for (const pid_t child : children) {
      int status = 0;
      ::waitpid(child, &status, 0);
      if (status != 0) said += "a child ended with " + std::to_string(status) + "; ";
    }
    return said;
  });
  const Power power = machine.gpu(1).power;
  EXPECT_EQ(power.limit_mw.value, power.enforced_limit_mw.value);
}

TEST(Lifecycle, WaitingForAnEventWaits) {
  ASSERT_EQ(driver().init(), kSuccess);
  Word set = 0;
  ASSERT_EQ(driver().call("nvmlEventSetCreate", &set), kSuccess);
  ASSERT_EQ(driver().call("nvmlDeviceRegisterEvents", driver().device(0), 8, set), kSuccess);
  std::array<unsigned char, 64> data{};
  data.fill(0x5A);
  for (const unsigned timeout : {0U, 1U, 50U, 300U}) {
    const auto took = test::elapsed(
        [&] { EXPECT_EQ(driver().call("nvmlEventSetWait_v2", set, data.data(), timeout), kTimeout) << timeout; });
    EXPECT_GE(took, std::chrono::milliseconds(timeout)) << "returned early";
  }
  for (const unsigned char byte : data)
    EXPECT_EQ(byte, 0x5A) << "a timeout has no event";
  EXPECT_EQ(driver().call("nvmlEventSetFree", set), kSuccess);
  EXPECT_EQ(driver().shutdown(), kSuccess);
}

// A setter changes the machine, but is nothing that a set waits for: the waiter goes on waiting.
TEST(Lifecycle, AChangeOfTheMachineWakesNoWaiterEarly) {
  const SharedMachine machine("dgx-a100", "570");
  EXPECT_AS_ROOT([] {
    driver().init();
    Word set = 0;
    driver().call("nvmlEventSetCreate", &set);
    driver().call("nvmlDeviceRegisterEvents", driver().device(0), 8, set);
    std::thread writer([waiter = ::gettid()] {
      for (unsigned i = 0; i < 20; ++i) {
        if (i % 5 == 0) test::becomes_blocked(waiter);
        set_limit(0, 200'000 + i * 1000);
      }
    });
    std::array<unsigned char, 64> data{};
    int code = kSuccess;
    const auto took = test::elapsed([&] { code = driver().call("nvmlEventSetWait_v2", set, data.data(), 300); });
    writer.join();
    const bool early = took < std::chrono::milliseconds(300);
    return Steps().expect(code, kTimeout, "wait").equal(early ? 1 : 0, 0, "returned early").said();
  });
}

TEST(Lifecycle, FlagsThatABoardCannotReportAreNotSupported) {
  ASSERT_EQ(driver().init(), kSuccess);
  Word set = 0;
  ASSERT_EQ(driver().call("nvmlEventSetCreate", &set), kSuccess);
  unsigned long long supported = 0;
  ASSERT_EQ(driver().call("nvmlDeviceGetSupportedEventTypes", driver().device(0), &supported), kSuccess);
  EXPECT_NE(supported & 8, 0U) << "Xid errors";
  EXPECT_EQ(driver().call("nvmlDeviceRegisterEvents", driver().device(0), supported, set), kSuccess);
  EXPECT_EQ(driver().call("nvmlDeviceRegisterEvents", driver().device(0), supported | 1ULL << 60, set), kNotSupported);
  EXPECT_EQ(driver().call("nvmlEventSetFree", set), kSuccess);
  EXPECT_EQ(driver().shutdown(), kSuccess);
}

// Under a client that runs on; what it finds is a driver that is gone, and so it is for whoever starts on a new machine
// of the same name with handles of before.
TEST(Lifecycle, AMachineThatIsTakenDownIsLost) {
  const SharedMachine machine("dgx-a100");
  EXPECT_AS_ROOT([&] {
    Steps steps;
    steps.expect(driver().init(), kSuccess, "init");
    const Word device = driver().device(1);
    unsigned value = 0;
    steps.expect(driver().call("nvmlDeviceGetPowerUsage", device, &value), kSuccess, "a getter before");
    if (remove_store(machine.path().c_str())) return std::string("not taken down");
    Word other = 0;
    steps.expect(driver().call("nvmlDeviceGetPowerUsage", device, &value), kGpuIsLost, "a getter")
        .expect(driver().call("nvmlDeviceSetPowerManagementLimit", device, 250'000U), kGpuIsLost, "a setter")
        .expect(driver().call("nvmlDeviceGetHandleByIndex_v2", 0U, &other), kGpuIsLost, "another handle")
        .expect(driver().call("nvmlDeviceGetPowerUsage", Word{12345}, &value), kGpuIsLost, "a damaged handle");
    return steps.said();
  });
}

// The last shutdown and a new init in one thread, getters in another: whatever they answer, what they look at stays.
template <class Again>
std::string start_over_under_calls(int rounds, const Again& again) {
  return in_child([&] {
    if (driver().init() != kSuccess) return std::string("no init");
    const Word device = driver().device(0);
    std::atomic<bool> stop = false;
    std::thread reader([&] {
      unsigned value = 0;
      while (!stop) {
        driver().call("nvmlDeviceGetPowerUsage", device, &value);
        driver().call("nvmlDeviceGetIndex", device, &value);
      }
    });
    for (int round = 0; round < rounds; ++round) {
      driver().shutdown();
      again(round);
    }
    stop = true;
    reader.join();
    return std::string();
  });
}

TEST(Lifecycle, ASharedMachineIsNotUnmappedUnderACall) {
  const SharedMachine machine("dgx-a100");
  EXPECT_EQ(start_over_under_calls(300, [](int) { driver().init(); }), "");
}

TEST(Lifecycle, APrivateMachineIsNotUnmappedUnderACall) {
  EXPECT_EQ(start_over_under_calls(60,
                                   [](int round) {
                                     const Environment other{{"NVMLAB_GPUS", std::to_string(1 + round % 8)}};
                                     driver().init();
                                   }),
            "");
}

// The driver finds the first ones of many GPUs by a shorter way than those behind them.
TEST(Lifecycle, EachOfManyGpusAnswersForItself) {
  const Environment many{{"NVMLAB_GPUS", "200"}};
  EXPECT_EQ(in_child([] {
              if (driver().init() != kSuccess) return std::string("no init");
              Steps steps;
              for (int round = 0; round < 3; ++round) {
                for (unsigned i = 0; i < 200; ++i) {
                  unsigned minor = ~0U;
                  steps.expect(driver().call("nvmlDeviceGetMinorNumber", driver().device(i), &minor), kSuccess, "minor")
                      .equal(minor, i, "minor number");
                }
              }
              unsigned value = 0;
              steps.expect(driver().call("nvmlDeviceGetMinorNumber", Word{0}, &value), kInvalidArgument, "no handle");
              return steps.said();
            }),
            "");
}

}  // namespace
}  // namespace nvmlab::driver_test
