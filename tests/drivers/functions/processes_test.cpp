// SPDX-License-Identifier: Apache-2.0
// Processes that begin and end on a GPU, as a client sees them; a real one ends for whoever initialises after it ended.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <vector>

#include "engine/change/change.hpp"
#include "engine/store/real_process.hpp"
#include "engine/store/store_file.hpp"
#include "engine/topics/processes/process_kinds.hpp"
#include "tests/drivers/functions/support/steps.hpp"

namespace nvmlab::driver_test {
namespace {

struct ProcessInfo {
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance, compute_instance;
};

class RunningProcesses : public testing::Test {
 protected:
  void SetUp() override { ASSERT_FALSE(attach_store(machine.path().c_str(), &control)); }
  void TearDown() override { detach_store(&control); }

  nvmlab::Code change(const Change& change) {
    MachineAccess whole{*control.store, control.file, true};
    return apply(whole, change).code;
  }
  static StartProcess process(std::uint32_t pid, std::uint64_t bytes) {
    StartProcess change{};
    change.pid = pid;
    change.kinds = kComputeProcess;
    change.used_bytes = bytes;
    change.gpu_instance = kNoInstance;
    change.compute_instance = kNoInstance;
    std::strcpy(change.name, "some process");
    return change;
  }
  unsigned listed() {
    ProcessInfo infos[40] = {};
    unsigned count = 40;
    EXPECT_EQ(driver().call("nvmlDeviceGetComputeRunningProcesses_v3", driver().device(0), &count, infos), kSuccess);
    first = infos[0];
    return count;
  }
  std::uint64_t used() const { return machine.gpu(0).memory.used_bytes.value_or(~0ull); }

  SharedMachine machine{"dgx-h100"};
  AttachedStore control;
  ProcessInfo first{};
};

TEST_F(RunningProcesses, HoldMemoryAndAreListed) {
  ASSERT_EQ(driver().init(), kSuccess);
  EXPECT_EQ(change(make_change(0, process(4242, 1 << 20))), kSuccess);
  EXPECT_EQ(change(make_change(0, process(4242, 1 << 20))), kInUse);
  EXPECT_EQ(listed(), 1U);
  EXPECT_EQ(first.pid, 4242U);
  EXPECT_EQ(first.used, 1U << 20);
  EXPECT_EQ(first.gpu_instance, ~0U);
  EXPECT_EQ(used(), 1U << 20);
  EXPECT_EQ(change(make_change(0, EndProcess{4242})), kSuccess);
  EXPECT_EQ(change(make_change(0, EndProcess{4242})), kNotFound);
  EXPECT_EQ(listed(), 0U);
  EXPECT_EQ(used(), 0U);
  EXPECT_EQ(driver().shutdown(), kSuccess);
}

TEST_F(RunningProcesses, AResetLeavesNoneAndNothingOfTheirMemory) {
  ASSERT_EQ(change(make_change(0, process(4242, 1 << 20))), kSuccess);
  ASSERT_EQ(change(make_change(0, process(4243, 2 << 20))), kSuccess);
  ASSERT_EQ(used(), 3U << 20);
  EXPECT_EQ(change(make_change(0, ResetGpu{})), kSuccess);
  EXPECT_EQ(machine.gpu(0).processes.running.size(), 0U);
  EXPECT_EQ(used(), 0U);
}

TEST_F(RunningProcesses, TheListHasAnEnd) {
  for (std::uint32_t i = 1; i <= 32; ++i)
    ASSERT_EQ(change(make_change(0, process(i, 1))), kSuccess);
  EXPECT_EQ(change(make_change(0, process(33, 1))), kInsufficientResources);
  EXPECT_EQ(change(make_change(0, EndProcess{5})), kSuccess);
  EXPECT_EQ(change(make_change(0, process(33, 1))), kSuccess);
  EXPECT_EQ(change(make_change(0, process(34, ~0ull))), kInsufficientResources);
  EXPECT_EQ(change(make_change(1, process(34, ~0ull))), kMemory);
  EXPECT_EQ(change(make_change(1, process(0, 1))), kInvalidArgument);
  EXPECT_EQ(used(), 32U);
}

TEST_F(RunningProcesses, ARealOneEndsForWhoInitialisesNext) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // also where the test ends early
    for (;;)
      ::pause();
  }
  ASSERT_GT(child, 0);
  StartProcess real = process(static_cast<std::uint32_t>(child), 1 << 20);
  real.start_ticks = start_of_process(real.pid);
  real.pid_namespace = own_pid_namespace();
  ASSERT_NE(real.start_ticks, 0U);
  ASSERT_NE(real.pid_namespace, 0U);
  EXPECT_EQ(change(make_change(0, real)), kSuccess);
  StartProcess elsewhere = process(7, 1 << 20);  // of another namespace: nobody here can tell
  elsewhere.start_ticks = 1;
  elsewhere.pid_namespace = real.pid_namespace + 1;
  EXPECT_EQ(change(make_change(0, elsewhere)), kSuccess);
  constexpr std::uint64_t kFirstNamespace = 0xEFFFFFFC;  // where everything can be seen, and what is not is gone
  const bool all_can_be_seen = real.pid_namespace == kFirstNamespace;
  ASSERT_EQ(driver().init(), kSuccess);
  EXPECT_EQ(listed(), 1U) << "one of another namespace, which cannot be seen, is not listed";
  EXPECT_EQ(first.pid, real.pid);
  EXPECT_EQ(driver().shutdown(), kSuccess);
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ASSERT_EQ(driver().init(), kSuccess);
  EXPECT_EQ(listed(), 0U);
  EXPECT_EQ(used(), all_can_be_seen ? 0U : 1U << 20);
  EXPECT_EQ(driver().shutdown(), kSuccess);
}

// A process that only the machine knows may have the number of one that runs here: it is not called as that one is.
TEST_F(RunningProcesses, ASimulatedOneHasNoNameOfARealOne) {
  const auto own = static_cast<std::uint32_t>(::getpid());
  const auto name_of_own = [own](int expected) {
    char name[256] = {};
    EXPECT_EQ(driver().call("nvmlSystemGetProcessName", own, name, 256U), expected);
    return std::string(name);
  };
  ASSERT_EQ(driver().init(), kSuccess);
  const std::string called = name_of_own(kSuccess);
  EXPECT_NE(called.find("functions_processes_test"), std::string::npos) << called;
  StartProcess simulated = process(own, 1 << 20);
  simulated.name[0] = '\0';
  ASSERT_EQ(change(make_change(0, simulated)), kSuccess);
  machine.change_gpu(0, [](Gpu& gpu) { gpu.processes.running[0].name = {}; });
  EXPECT_EQ(name_of_own(kNotFound), "");
  machine.change_gpu(0, [own](Gpu& gpu) { gpu.processes.running[0].start_ticks.set(start_of_process(own)); });
  EXPECT_EQ(name_of_own(kSuccess), called) << "a real one, which is followed";
  EXPECT_EQ(driver().shutdown(), kSuccess);
}

TEST_F(RunningProcesses, OneThatHasEndedHasNoNameOfARealOne) {
  machine.change_gpu(0, [](Gpu& gpu) { gpu.modes.accounting.set(1); });
  const auto own = static_cast<std::uint32_t>(::getpid());
  ASSERT_EQ(change(make_change(0, process(own, 1))), kSuccess);
  ASSERT_EQ(change(make_change(0, EndProcess{own})), kSuccess);
  ASSERT_EQ(driver().init(), kSuccess);
  char name[256] = {};
  EXPECT_EQ(driver().call("nvmlSystemGetProcessName", own, name, 256U), kNotFound);
  EXPECT_EQ(driver().shutdown(), kSuccess);
}

// Of the 4,000 entries that a board names, 128 are for processes that have ended; the oldest gives way.
TEST_F(RunningProcesses, AccountingRemembersTheLast128) {
  machine.change_gpu(0, [](Gpu& gpu) { gpu.modes.accounting.set(1); });
  for (std::uint32_t pid = 1; pid <= 130; ++pid) {
    ASSERT_EQ(change(make_change(0, process(pid, 1))), kSuccess);
    ASSERT_EQ(change(make_change(0, EndProcess{pid})), kSuccess);
  }
  ASSERT_EQ(change(make_change(0, process(4242, 1 << 20))), kSuccess);
  ASSERT_EQ(driver().init(), kSuccess);
  unsigned size = 0;
  EXPECT_EQ(driver().call("nvmlDeviceGetAccountingBufferSize", driver().device(0), &size), kSuccess);
  EXPECT_EQ(size, 4000U);
  std::vector<unsigned> pids(size);
  EXPECT_EQ(driver().call("nvmlDeviceGetAccountingPids", driver().device(0), &size, pids.data()), kSuccess);
  ASSERT_EQ(size, 129U);
  EXPECT_EQ(pids[0], 3U);
  EXPECT_EQ(pids[127], 130U);
  EXPECT_EQ(pids[128], 4242U) << "what runs stands behind what has ended";
  EXPECT_EQ(driver().shutdown(), kSuccess);
}

// As NVIDIA's tools have it: "M+C", in both lists.
TEST_F(RunningProcesses, AClientOfMpsIsInTwoLists) {
  StartProcess client = process(4242, 1 << 20);
  client.kinds = kMpsProcess | kComputeProcess;
  ASSERT_EQ(change(make_change(0, client)), kSuccess);
  ASSERT_EQ(change(make_change(0, process(4243, 1 << 20))), kSuccess);
  ASSERT_EQ(driver().init(), kSuccess);
  EXPECT_EQ(listed(), 2U);
  for (const char* function :
       {"nvmlDeviceGetMPSComputeRunningProcesses_v2", "nvmlDeviceGetMPSComputeRunningProcesses_v3"}) {
    ProcessInfo infos[40] = {};
    unsigned count = 40;
    EXPECT_EQ(driver().call(function, driver().device(0), &count, infos), kSuccess) << function;
    EXPECT_EQ(count, 1U) << function;
    EXPECT_EQ(infos[0].pid, 4242U) << function;
    EXPECT_EQ(infos[0].used, 1U << 20) << function;
  }
  unsigned graphics = 40;
  ProcessInfo none[40] = {};
  EXPECT_EQ(driver().call("nvmlDeviceGetGraphicsRunningProcesses_v3", driver().device(0), &graphics, none), kSuccess);
  EXPECT_EQ(graphics, 0U);
  EXPECT_EQ(driver().shutdown(), kSuccess);
}

// The id was given to another process meanwhile.
TEST_F(RunningProcesses, AnotherProcessOfTheSameIdIsNotTakenForIt) {
  StartProcess old = process(static_cast<std::uint32_t>(::getpid()), 1 << 20);
  old.start_ticks = start_of_process(old.pid) + 1;
  old.pid_namespace = own_pid_namespace();
  EXPECT_EQ(change(make_change(0, old)), kSuccess);
  ASSERT_EQ(driver().init(), kSuccess);
  EXPECT_EQ(listed(), 0U);
  EXPECT_EQ(driver().shutdown(), kSuccess);
}

}  // namespace
}  // namespace nvmlab::driver_test
