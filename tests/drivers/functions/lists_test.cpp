// SPDX-License-Identifier: Apache-2.0
//
// Lists and the ways in which callers ask for their length. The letters are those of the table of size-query protocols
// that model/meaning/ uses: A and B (too small a buffer gets INSUFFICIENT_SIZE and the count), D (a count of zero gets
// the count), F (no buffer gets INSUFFICIENT_SIZE and the count, nothing to list is NOT_FOUND).
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "tests/drivers/functions/support/guarded.hpp"
#include "tests/drivers/functions/support/machine.hpp"

namespace nvmlab::driver_test {
namespace {

constexpr unsigned kProcesses = 5;

class Lists : public testing::Test {
 protected:
  void SetUp() override {
    machine.change_gpu(0, [](Gpu& gpu) {
      gpu.processes.running.count = kProcesses;
      for (std::uint32_t i = 0; i < kProcesses; ++i) {
        auto& process = gpu.processes.running[i];
        process.pid.set(900 + i);
        process.kinds.set(7);
        process.sm_percent.set(10 + i);
      }
      gpu.modes.accounting.set(1);
      gpu.ecc.retirement_pending.set(0);
      gpu.ecc.retired_single_bit.count = 3;
      gpu.ecc.retired_double_bit.count = 2;
      for (std::uint32_t i = 0; i < 3; ++i)
        gpu.ecc.retired_single_bit[i].address.set(0x1000 + i);
      for (std::uint32_t i = 0; i < 2; ++i)
        gpu.ecc.retired_double_bit[i].address.set(0x2000 + i);
    });
    ASSERT_EQ(driver.init(), kSuccess);
    device = driver.device(0);
  }
  void TearDown() override { EXPECT_EQ(driver.shutdown(), kSuccess); }

  // Calls `ask(count, items)` by protocol A with every size of buffer from none to two more than needed.
  template <class Ask>
  static void expect_protocol_a(const std::string& name, unsigned items, std::size_t item_size, const Ask& ask,
                                bool null_asks = true) {
    if (null_asks) {
      unsigned count = 0;
      EXPECT_EQ(ask(&count, nullptr), items == 0 ? kSuccess : kInsufficientSize) << name;
      EXPECT_EQ(count, items) << name << ": (0, null) asks for the count";
    }
    for (unsigned offered = 0; offered < items + 3; ++offered) {
      GuardedPage page;
      std::byte* room = page.place(offered * item_size);
      unsigned count = offered;
      const int code = ask(&count, room);
      EXPECT_EQ(code, offered < items ? kInsufficientSize : kSuccess) << name << " offered " << offered;
      EXPECT_EQ(count, items) << name << " offered " << offered;
      EXPECT_FALSE(page.changed_outside(0, std::min(offered, items) * item_size)) << name << " offered " << offered;
      EXPECT_TRUE(code != kSuccess || items == 0 || page.changed()) << name;
    }
  }

  SharedMachine machine{"dgx-a100"};
  const Driver& driver = Driver::get();
  Word device = 0;
};

TEST_F(Lists, RunningProcessesByProtocolA) {
  for (const char* kind : {"Compute", "Graphics", "MPSCompute"}) {
    for (const auto& [version, size] : {std::pair{"", 16}, std::pair{"_v2", 24}, std::pair{"_v3", 24}}) {
      const std::string name = fmt::format("nvmlDeviceGet{}RunningProcesses{}", kind, version);
      const auto ask = [&](unsigned* count, std::byte* items) { return driver.call(name, device, count, items); };
      expect_protocol_a(name, kProcesses, static_cast<std::size_t>(size), ask);
      const Word idle = driver.device(1);
      expect_protocol_a(name, 0, static_cast<std::size_t>(size),
                        [&](unsigned* count, std::byte* items) { return driver.call(name, idle, count, items); });
    }
  }
}

TEST_F(Lists, RetiredPagesByProtocolA) {
  for (const auto& [cause, pages] : {std::pair{0U, 3U}, std::pair{1U, 2U}}) {
    const auto ask = [&](unsigned* count, std::byte* items) {
      return driver.call("nvmlDeviceGetRetiredPages", device, cause, count, items);
    };
    expect_protocol_a("nvmlDeviceGetRetiredPages", pages, 8, ask);
    std::uint64_t first = 0;
    unsigned count = 3;
    std::uint64_t all[3] = {};
    ASSERT_EQ(driver.call("nvmlDeviceGetRetiredPages", device, cause, &count, all), kSuccess);
    first = all[0];
    EXPECT_EQ(first, cause == 0 ? 0x1000U : 0x2000U);
  }
  unsigned count = 3;
  std::uint64_t all[3] = {};
  EXPECT_EQ(driver.call("nvmlDeviceGetRetiredPages", device, 2, &count, all), kInvalidArgument);
  EXPECT_EQ(count, 3U);
}

TEST_F(Lists, ClocksByProtocolsAAndB) {
  const auto& supported = machine.gpu(0).clocks.supported;
  ASSERT_GE(supported.size(), 1U);
  const auto memory = [&](unsigned* count, std::byte* items) {
    return driver.call("nvmlDeviceGetSupportedMemoryClocks", device, count, items);
  };
  expect_protocol_a("memory clocks", supported.size(), 4, memory);
  const std::uint32_t mhz = supported[0].memory_mhz.value;
  const auto graphics = [&](unsigned* count, std::byte* items) {
    return driver.call("nvmlDeviceGetSupportedGraphicsClocks", device, mhz, count, items);
  };
  expect_protocol_a("graphics clocks", supported[0].graphics_mhz.size(), 4, graphics);
  unsigned count = 512;
  std::uint32_t clocks[512] = {};
  EXPECT_EQ(driver.call("nvmlDeviceGetSupportedGraphicsClocks", device, mhz + 1, &count, clocks), kNotFound);
  EXPECT_EQ(driver.call("nvmlDeviceGetSupportedMemoryClocks", device, &count, nullptr), kInvalidArgument)
      << "room for all, and nowhere to put them";
}

// The device's function answers a query with INSUFFICIENT_SIZE however many there are.
TEST_F(Lists, AccountedProcessesAlwaysAnswerAQueryWithTheCount) {
  const auto ask = [&](unsigned* count, std::byte* pids) {
    return driver.call("nvmlDeviceGetAccountingPids", device, count, pids);
  };
  expect_protocol_a("accounted", kProcesses, sizeof(unsigned), ask);
  machine.change_gpu(1, [](Gpu& gpu) { gpu.modes.accounting.set(1); });
  const Word idle = driver.device(1);
  unsigned count = 0;
  EXPECT_EQ(driver.call("nvmlDeviceGetAccountingPids", idle, &count, nullptr), kInsufficientSize);
  EXPECT_EQ(count, 0U);
  count = 128;
  unsigned pids[128] = {};
  EXPECT_EQ(driver.call("nvmlDeviceGetAccountingPids", idle, &count, pids), kSuccess);
  EXPECT_EQ(count, 0U);
  // Captures of boards with accounting off list no process, and no error either.
  count = 128;
  EXPECT_EQ(driver.call("nvmlDeviceGetAccountingPids", driver.device(2), &count, pids), kSuccess) << "it is off";
  EXPECT_EQ(count, 0U);
}

TEST_F(Lists, NearestGpusAndGpusOfACpuByProtocolD) {
  // Levels of nvmlGpuTopologyLevel_t: SINGLE 10, MULTIPLE 20, HOSTBRIDGE 30, NODE 40, SYSTEM 50.
  unsigned all = 0;
  for (const unsigned level : {0U, 10U, 20U, 30U, 40U, 50U}) {
    unsigned count = 0;
    ASSERT_EQ(driver.call("nvmlDeviceGetTopologyNearestGpus", device, level, &count, nullptr), kSuccess) << level;
    all += count;
    for (unsigned offered = 1; offered <= count; ++offered) {
      GuardedPage page;
      std::byte* room = page.place(offered * sizeof(Word));
      unsigned filled = offered;
      EXPECT_EQ(driver.call("nvmlDeviceGetTopologyNearestGpus", device, level, &filled, room), kSuccess);
      EXPECT_EQ(filled, offered) << "a count fills exactly that many";
      for (unsigned i = 0; i < filled; ++i) {
        Word other = 0;
        std::memcpy(&other, room + i * sizeof other, sizeof other);
        unsigned ancestor = 0;
        EXPECT_EQ(driver.call("nvmlDeviceGetTopologyCommonAncestor", device, other, &ancestor), kSuccess);
        EXPECT_EQ(ancestor, level);
      }
    }
  }
  EXPECT_EQ(all, 7U) << "each other GPU is at one level";
  unsigned near_first = 0;
  unsigned somewhere = 0;
  for (unsigned cpu = 0; cpu < 256; ++cpu) {
    unsigned count = 0;
    ASSERT_EQ(driver.call("nvmlSystemGetTopologyGpuSet", cpu, &count, nullptr), kSuccess);
    somewhere += count;
    near_first += count > 0 ? 1 : 0;
  }
  EXPECT_EQ(somewhere, 2 * near_first) << "two GPUs to each NUMA node that has any";
  unsigned one = 1;
  EXPECT_EQ(driver.call("nvmlSystemGetTopologyGpuSet", 48, &one, nullptr), kInvalidArgument);
}

// NCCL asks every pair of GPUs, a GPU with itself among them, and gives up on any other code
// (docs/reference/hardware.md).
TEST_F(Lists, AGpuHasAPeerStatusWithItself) {
  constexpr int kNotSupportedStatus = 5;
  for (int index = 0; index < 5; ++index) {
    int status = -1;
    EXPECT_EQ(driver.call("nvmlDeviceGetP2PStatus", device, device, index, &status), kSuccess) << index;
    EXPECT_EQ(status, kNotSupportedStatus) << index;
  }
  unsigned ancestor = 0;
  EXPECT_EQ(driver.call("nvmlDeviceGetTopologyCommonAncestor", device, device, &ancestor), kNotSupported);
}

TEST_F(Lists, ProcessUtilizationByProtocolF) {
  const char* name = "nvmlDeviceGetProcessUtilization";
  unsigned count = 0;
  EXPECT_EQ(driver.call(name, device, nullptr, &count, 0), kInsufficientSize);
  EXPECT_EQ(count, kProcesses);
  count = 100;
  EXPECT_EQ(driver.call(name, device, nullptr, &count, 0), kInsufficientSize) << "null asks, whatever the count says";
  EXPECT_EQ(count, kProcesses);
  GuardedPage page;
  std::byte* samples = page.place(kProcesses * 32);
  count = kProcesses - 1;
  EXPECT_EQ(driver.call(name, device, samples, &count, 0), kInsufficientSize);
  EXPECT_FALSE(page.changed());
  count = kProcesses;
  ASSERT_EQ(driver.call(name, device, samples, &count, 0), kSuccess);
  EXPECT_EQ(count, kProcesses);
  std::uint64_t seen = 0;
  for (unsigned i = 0; i < kProcesses; ++i) {
    unsigned pid = 0;
    unsigned sm = 0;
    std::memcpy(&pid, samples + i * 32, sizeof pid);
    std::memcpy(&seen, samples + i * 32 + 8, sizeof seen);
    std::memcpy(&sm, samples + i * 32 + 16, sizeof sm);
    EXPECT_EQ(pid, 900 + i);
    EXPECT_EQ(sm, 10 + i);
  }
  EXPECT_EQ(driver.call(name, device, samples, &count, seen + 3'600'000'000ULL), kNotFound) << "nothing newer";
  count = kProcesses;
  EXPECT_EQ(driver.call(name, driver.device(1), samples, &count, 0), kNotFound) << "nothing runs there";
  EXPECT_EQ(driver.call(name, driver.device(1), nullptr, &count, 0), kNotFound);
}

TEST_F(Lists, AffinityMasksNeedEnoughWords) {
  unsigned long words[16];
  ASSERT_EQ(driver.call("nvmlDeviceGetCpuAffinity", device, 16, words), kSuccess);
  EXPECT_EQ(words[0], 0xFFFF000000000000UL);
  EXPECT_EQ(words[2], 0xFFFF000000000000UL);
  EXPECT_EQ(words[3] | words[15], 0UL);
  GuardedPage page;
  std::byte* room = page.place(3 * sizeof(long));
  EXPECT_EQ(driver.call("nvmlDeviceGetCpuAffinity", device, 3, room), kSuccess);
  room = page.place(2 * sizeof(long));
  EXPECT_EQ(driver.call("nvmlDeviceGetCpuAffinity", device, 2, room), kInsufficientSize);
  EXPECT_FALSE(page.changed());
  EXPECT_EQ(driver.call("nvmlDeviceGetCpuAffinity", device, 0, room), kInvalidArgument);
  EXPECT_EQ(driver.call("nvmlDeviceGetCpuAffinityWithinScope", device, 16, words, 0), kSuccess);
  EXPECT_EQ(driver.call("nvmlDeviceGetCpuAffinityWithinScope", device, 16, words, 7), kInvalidArgument);
  ASSERT_EQ(driver.call("nvmlDeviceGetMemoryAffinity", device, 16, words, 0), kSuccess);
  EXPECT_EQ(words[0], 8UL);
}

TEST_F(Lists, FieldValuesHaveACodeEach) {
  struct Value {  // nvmlFieldValue_t
    unsigned id, scope;
    long long timestamp, latency;
    unsigned type;
    int code;
    std::uint64_t value;
  };
  static_assert(sizeof(Value) == 40);
  GuardedPage page;
  auto* values = reinterpret_cast<Value*>(page.place(3 * sizeof(Value)));
  values[0].id = 82;     // memory temperature, with a scope that nvidia-smi leaves uninitialised
  values[1].id = 65000;  // no such field
  values[2].id = 186;    // power now
  values[2].scope = 0;
  ASSERT_EQ(driver.call("nvmlDeviceGetFieldValues", device, 3, values), kSuccess);
  const Gpu gpu = machine.gpu(0);
  EXPECT_EQ(values[0].code, kSuccess);
  EXPECT_EQ(static_cast<unsigned>(values[0].value), gpu.thermal.memory_c.value);
  EXPECT_NE(values[1].code, kSuccess);
  EXPECT_EQ(values[2].code, kSuccess);
  EXPECT_EQ(static_cast<unsigned>(values[2].value), gpu.power.draw_instant_mw.value);
  EXPECT_GT(values[2].timestamp, 0);
  for (const int count : {0, -1, -2147483647}) {
    EXPECT_EQ(driver.call("nvmlDeviceGetFieldValues", device, count, values), kInvalidArgument) << count;
  }
}

}  // namespace
}  // namespace nvmlab::driver_test
