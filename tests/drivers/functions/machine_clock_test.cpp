// SPDX-License-Identifier: Apache-2.0
// What clients are told of time is the machine's time, which another process moves; and to read it they write nothing:
// here the driver's mapping of the machine is made read-only once it is initialised.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <vector>

#include "engine/change/change.hpp"
#include "engine/topics/events/event_types.hpp"
#include "engine/topics/processes/process_kinds.hpp"
#include "nvmlab/abi/abi.hpp"
#include "tests/drivers/functions/support/steps.hpp"
#include "tests/support/waiting.hpp"

static std::atomic<unsigned> clock_reads = 0;

// In the place of libc's for all of the program, the driver included.
extern "C" int clock_gettime(clockid_t which, timespec* now) {
  ++clock_reads;
  return static_cast<int>(::syscall(SYS_clock_gettime, which, now));
}

namespace nvmlab::driver_test {
namespace {

namespace abi = nvml::abi;

constexpr unsigned kInstantPower = 186;  // NVML_FI_DEV_POWER_INSTANT
constexpr std::uint64_t kHourUs = 3'600'000'000;

class MachineClock : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(change({make_change(MachinePart::clock, SetMachineClock{ClockMode::virtual_time, 0})}), "");
    ASSERT_EQ(driver().init(), kSuccess);
    gpu = driver().device(0);
  }
  void TearDown() override {
    protect(PROT_READ | PROT_WRITE);
    EXPECT_EQ(driver().shutdown(), kSuccess);
  }

  // In a process of its own, by a mapping of its own, as `nvmlab` makes changes.
  std::string change(const std::vector<Change>& changes) {
    return in_child([&]() -> std::string {
      AttachedStore control;
      if (attach_store(machine.path().c_str(), &control)) return "cannot map the machine";
      MachineAccess whole{*control.store, control.file, true};
      const nvmlab::Applied applied = apply(whole, changes.data(), static_cast<std::uint32_t>(changes.size()));
      if (applied.code == nvmlab::kSuccess) return "";
      return "change " + std::to_string(applied.failed) + ": code " + std::to_string(applied.code);
    });
  }
  void advance(std::uint64_t by_us) {
    ASSERT_EQ(change({make_change(MachinePart::clock, AdvanceMachineClock{by_us * 1000})}), "");
  }

  // What this process has of the machine's file.
  void protect(int rights) const {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      unsigned long from = 0;
      unsigned long to = 0;
      if (line.find(machine.path().string()) == std::string::npos) continue;
      ASSERT_EQ(std::sscanf(line.c_str(), "%lx-%lx", &from, &to), 2);
      ASSERT_EQ(::mprotect(reinterpret_cast<void*>(from), to - from, rights), 0);
    }
  }

  std::uint64_t now_us() const { return machine_time_ns(machine.store().clock) / 1000; }
  std::uint64_t field_stamp() const {
    abi::nvmlFieldValue_t value{};
    value.fieldId = kInstantPower;
    EXPECT_EQ(driver().call("nvmlDeviceGetFieldValues", gpu, 1, &value), kSuccess);
    return static_cast<std::uint64_t>(value.timestamp);
  }
  std::vector<std::uint64_t> sample_stamps(std::uint64_t seen_us) const {
    std::vector<abi::nvmlSample_t> samples(120);
    auto count = static_cast<unsigned>(samples.size());
    unsigned type = 0;
    const int code = driver().call("nvmlDeviceGetSamples", gpu, 0, seen_us, &type, &count, samples.data());
    std::vector<std::uint64_t> stamps;
    for (unsigned i = 0; code == kSuccess && i < count; ++i)
      stamps.push_back(samples[i].timeStamp);
    return stamps;
  }
  std::uint64_t violation_stamp() const {
    abi::nvmlViolationTime_t violation{};
    EXPECT_EQ(driver().call("nvmlDeviceGetViolationStatus", gpu, abi::NVML_PERF_POLICY_POWER, &violation), kSuccess);
    return violation.referenceTime;
  }
  std::uint64_t uptime_s() const {
    abi::nvmlGpuUptime_v1_t uptime{};
    EXPECT_EQ(driver().call("nvmlDeviceGetGpuUptime_v1", gpu, &uptime), kSuccess);
    return uptime.uptime;
  }
  // 0: nothing is newer.
  std::uint64_t utilization_stamp(std::uint64_t seen_us) const {
    std::vector<abi::nvmlProcessUtilizationSample_t> samples(32);
    auto count = static_cast<unsigned>(samples.size());
    const int code = driver().call("nvmlDeviceGetProcessUtilization", gpu, samples.data(), &count, seen_us);
    EXPECT_EQ(code, count > 0 ? kSuccess : kNotFound);
    return count > 0 ? samples[0].timeStamp : 0;
  }

  static StartProcess process() {
    StartProcess change{};
    change.pid = 4242;
    change.kinds = kComputeProcess;
    change.gpu_instance = change.compute_instance = kNoInstance;
    std::strcpy(change.name, "some process");
    return change;
  }

  SharedMachine machine{"dgx-h100"};
  Word gpu = 0;
};

TEST_F(MachineClock, ReadersWriteNothingAndSeeItAdvanced) {
  ASSERT_EQ(change({make_change(0, process())}), "");
  protect(PROT_READ);
  const std::uint64_t begun = now_us();
  EXPECT_EQ(field_stamp(), begun);
  EXPECT_EQ(field_stamp(), begun) << "it stands";
  EXPECT_EQ(violation_stamp(), begun);
  EXPECT_EQ(utilization_stamp(begun - 1), begun);
  EXPECT_EQ(utilization_stamp(begun), 0U);
  const auto first = sample_stamps(0);
  ASSERT_EQ(first.size(), 120U);
  EXPECT_LE(first.back(), begun);
  EXPECT_TRUE(sample_stamps(first.back()).empty()) << "nothing newer";
  const std::uint64_t up = uptime_s();

  advance(kHourUs);
  EXPECT_EQ(field_stamp(), begun + kHourUs);
  EXPECT_EQ(violation_stamp(), begun + kHourUs);
  EXPECT_EQ(utilization_stamp(begun), begun + kHourUs);
  EXPECT_EQ(uptime_s(), up + 3600);
  const auto later = sample_stamps(first.back());
  ASSERT_EQ(later.size(), 120U) << "the ring holds the last of what an hour brought";
  EXPECT_EQ(later.back(), first.back() + kHourUs);
}

TEST_F(MachineClock, WhereItStandsNoClockIsRead) {
  const auto reads = [this] {
    const unsigned before = clock_reads;
    field_stamp();
    violation_stamp();
    sample_stamps(0);
    uptime_s();
    return clock_reads - before;
  };
  EXPECT_EQ(reads(), 0U) << "virtual";
  ASSERT_EQ(change({make_change(MachinePart::clock, SetMachineClock{ClockMode::frozen, 0})}), "");
  EXPECT_EQ(reads(), 0U) << "frozen";
  ASSERT_EQ(change({make_change(MachinePart::clock, SetMachineClock{ClockMode::real, kRealRate})}), "");
  EXPECT_EQ(reads(), 4U) << "once for each call";
}

TEST_F(MachineClock, OneThatRunsIsComputedByReaders) {
  ASSERT_EQ(change({make_change(MachinePart::clock, SetMachineClock{ClockMode::scaled, 1000 * kRealRate})}), "");
  protect(PROT_READ);
  const std::uint64_t begun = field_stamp();
  std::uint64_t before = begun;
  while (field_stamp() < begun + 1'000'000) {  // a millisecond here
    const std::uint64_t now = field_stamp();
    ASSERT_GE(now, before);
    before = now;
  }
}

// Nothing happens to the machine in between: the one change that comes settles what has passed.
TEST_F(MachineClock, ASingleChangeAnHourLaterCountsTheHour) {
  machine.change_gpu(0, [](Gpu& state) { state.modes.accounting.set(1); });
  const std::uint64_t begun = now_us();
  ASSERT_EQ(change({make_change(0, process())}), "");
  advance(kHourUs);
  ASSERT_EQ(change({make_change(0, EndProcess{4242})}), "");
  abi::nvmlAccountingStats_t stats{};
  ASSERT_EQ(driver().call("nvmlDeviceGetAccountingStats", gpu, 4242, &stats), kSuccess);
  EXPECT_EQ(stats.time, kHourUs / 1000);
  EXPECT_EQ(stats.startTime, begun);
}

TEST_F(MachineClock, AResetBeginsTheUptimeAnew) {
  advance(kHourUs);
  EXPECT_GE(uptime_s(), 3600U);
  ASSERT_EQ(change({make_change(0, ResetGpu{})}), "");
  EXPECT_EQ(uptime_s(), 0U);
  advance(5'000'000);
  EXPECT_EQ(uptime_s(), 5U);
}

TEST_F(MachineClock, EventsAreStampedByItAndWaitersAreNot) {
  Word set = 0;
  ASSERT_EQ(driver().call("nvmlEventSetCreate", &set), kSuccess);
  ASSERT_EQ(driver().call("nvmlDeviceRegisterEvents", gpu, kXidEvent, set), kSuccess);
  advance(kHourUs);
  const Change xid = make_change(0, RaiseEvent{kXidEvent, 79, kNoInstance, kNoInstance, false});
  ASSERT_EQ(change({xid, make_change(MachinePart::clock, AdvanceMachineClock{1'000'000'000})}), "");
  auto wait = abi::nvmlEventSetWait_v3_t{};
  wait.timeoutMs = 60;
  protect(PROT_READ);
  ASSERT_EQ(driver().call("nvmlEventSetWait_v3", set, &wait), kSuccess);
  EXPECT_EQ(wait.timestampUsec + 1'000'000, now_us());

  const auto took = test::elapsed([&] {
    EXPECT_EQ(driver().call("nvmlEventSetWait_v3", set, &wait), kTimeout) << "though the machine's time stands";
  });
  EXPECT_GE(took, std::chrono::milliseconds(60));
  EXPECT_EQ(driver().call("nvmlEventSetFree", set), kSuccess);
}

// Two samples within one refresh of the counters are the same sample, by the machine's time too.
TEST_F(MachineClock, PerformanceMonitoringCountsIt) {
  Word before = 0;
  Word after = 0;
  ASSERT_EQ(driver().call("nvmlGpmSampleAlloc", &before), kSuccess);
  ASSERT_EQ(driver().call("nvmlGpmSampleAlloc", &after), kSuccess);
  const auto metric = [&] {
    abi::nvmlGpmMetricsGet_t get{};
    get.version = 1;
    get.numMetrics = 1;
    get.sample1 = reinterpret_cast<abi::nvmlGpmSample_t>(before);
    get.sample2 = reinterpret_cast<abi::nvmlGpmSample_t>(after);
    get.metrics[0].metricId = abi::NVML_GPM_METRIC_GRAPHICS_UTIL;
    EXPECT_EQ(driver().call("nvmlGpmMetricsGet", &get), kSuccess);
    return get.metrics[0].nvmlReturn;
  };
  ASSERT_EQ(driver().call("nvmlGpmSampleGet", gpu, before), kSuccess);
  ASSERT_EQ(driver().call("nvmlGpmSampleGet", gpu, after), kSuccess);
  EXPECT_EQ(metric(), abi::NVML_ERROR_INVALID_ARGUMENT);
  advance(1'000'000);
  ASSERT_EQ(driver().call("nvmlGpmSampleGet", gpu, after), kSuccess);
  EXPECT_EQ(metric(), abi::NVML_SUCCESS);
  EXPECT_EQ(driver().call("nvmlGpmSampleFree", before), kSuccess);
  EXPECT_EQ(driver().call("nvmlGpmSampleFree", after), kSuccess);
}

}  // namespace
}  // namespace nvmlab::driver_test
