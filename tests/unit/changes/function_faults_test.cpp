// SPDX-License-Identifier: Apache-2.0
// Faults of functions: which calls they befall, what tells calls of them, and that nothing is left when they end.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "engine/store/system.hpp"
#include "engine/topics/faults/faulty_calls.hpp"
#include "tests/support/waiting.hpp"
#include "tests/unit/changes/faulty_machine.hpp"

namespace nvmlab::changes_test {
namespace {

FunctionFault fault_of(const char* function, std::uint32_t code = kGpuIsLost) {
  FunctionFault fault{};
  fault.gpu = kAnyGpu;
  fault.code = code;
  fault.every = 1;
  fault.chance = kCertain;
  std::strncpy(fault.function, function, sizeof fault.function - 1);
  return fault;
}

HealFunctions heal_of(const char* function, std::uint32_t gpu = kAnyGpu) {
  HealFunctions heal{};
  heal.gpu = gpu;
  std::strncpy(heal.function, function, sizeof heal.function - 1);
  return heal;
}

class FunctionFaultsTest : public testing::Test {
 protected:
  Code fail(const FunctionFault& fault) {
    return machine.make(make_change(MachinePart::functions, FailFunction{fault}));
  }
  Code heal(const char* function = "", std::uint32_t gpu = kAnyGpu) {
    return machine.make(make_change(MachinePart::functions, heal_of(function, gpu)));
  }
  Code call(const char* function, std::uint32_t gpu = kNoGpu) { return call(counts, function, gpu); }
  Code call(CallCounts& own, const char* function, std::uint32_t gpu = kNoGpu) {
    const CalledStore called{machine.store(), false, true};
    return meet_function_faults(called, {.function = function, .gpu = gpu}, own, befallen);
  }
  std::size_t faults() {
    std::size_t count = 0;
    for (std::uint32_t place = 0; place < kMaxFunctionFaults; ++place)
      count += read_function_fault(machine.store(), place).id != 0 ? 1 : 0;
    return count;
  }

  FaultyMachine machine{"dgx-h100"};
  CallCounts counts{};
  Befallen befallen;
};

TEST_F(FunctionFaultsTest, OneCallBringsAFaultUponItsGpu) {
  FunctionFault fault = fault_of("f");
  fault.gpu = 0;
  fault.code = 0;
  fault.skip = 1;
  fault.times = 1;
  fault.befalls = static_cast<std::uint32_t>(FaultKind::ecc_uncorrected) + 1;
  fault.xid = 48;
  ASSERT_EQ(fail(fault), kSuccess);
  EXPECT_EQ(call("f", 0), kSuccess);
  EXPECT_EQ(befallen.fault, 0U);
  EXPECT_EQ(call("f", 0), kSuccess) << "it goes on";
  EXPECT_EQ(befallen.fault, fault.befalls);
  EXPECT_EQ(befallen.gpu, 0U);
  EXPECT_EQ(befallen.xid, 48U);
  befallen = {};
  EXPECT_EQ(call("f", 0), kSuccess);
  EXPECT_EQ(befallen.fault, 0U) << "once";
  fault.gpu = kAnyGpu;
  EXPECT_EQ(fail(fault), kInvalidArgument) << "it befalls one GPU";
  fault.gpu = 0;
  fault.befalls = kFaultKinds + 1;
  EXPECT_EQ(fail(fault), kInvalidArgument);
}

TEST(FunctionPattern, ANameFitsItsVersions) {
  EXPECT_TRUE(fits_function("nvmlInit", "nvmlInit"));
  EXPECT_TRUE(fits_function("nvmlInit", "nvmlInit_v2"));
  EXPECT_FALSE(fits_function("nvmlInit", "nvmlInitWithFlags"));
  EXPECT_FALSE(fits_function("nvmlInit_v2", "nvmlInit"));
  EXPECT_FALSE(fits_function("nvmlInit_v2", "nvmlInit_v23"));
  EXPECT_TRUE(fits_function("nvmlDeviceGet*Info", "nvmlDeviceGetMemoryInfo_v2"));
  EXPECT_TRUE(fits_function("*", "cuInit"));
  EXPECT_TRUE(fits_function("*Temp*ture?", "nvmlDeviceGetTemperatureV"));
  EXPECT_FALSE(fits_function("*Temp*ture?", "nvmlDeviceGetTemperature"));
  EXPECT_FALSE(fits_function("", "nvmlInit"));
  EXPECT_FALSE(fits_function("v", "_v2"));
}

TEST(FunctionSchedule, CountsFromTheFirstCall) {
  FunctionFault fault = fault_of("f");
  const auto befallen = [&fault] {
    std::string calls;
    for (std::uint64_t number = 1; number <= 12; ++number)
      calls += befalls(fault, number) ? '!' : '.';
    return calls;
  };
  EXPECT_EQ(befallen(), "!!!!!!!!!!!!");
  fault.times = 3;
  EXPECT_EQ(befallen(), "!!!.........");
  fault.skip = 2;
  EXPECT_EQ(befallen(), "..!!!.......");
  fault.every = 3;
  EXPECT_EQ(befallen(), "....!..!..!.");
}

TEST(FunctionSchedule, ChanceIsWhatItSaysAndTheSameForASeed) {
  FunctionFault fault = fault_of("f");
  fault.chance = kCertain / 4;
  std::string first;
  for (const std::uint64_t seed : {1U, 1U, 2U}) {
    fault.seed = seed;
    std::string calls;
    for (std::uint64_t number = 1; number <= 4000; ++number)
      calls += befalls(fault, number) ? '!' : '.';
    EXPECT_NEAR(static_cast<double>(std::ranges::count(calls, '!')), 1000, 120);
    if (first.empty()) first = calls;
    EXPECT_EQ(calls == first, seed == 1);
  }
}

TEST_F(FunctionFaultsTest, HandlesTellOfThemUntilTheyEnd) {
  const std::uint64_t handle = machine.slot().handle;
  ASSERT_EQ(fail(fault_of("nvmlDeviceGetName")), kSuccess);
  EXPECT_TRUE(functions_have_faults(machine.store()));
  EXPECT_NE(machine.slot().handle, handle) << "whoever compares handles looks closer";
  EXPECT_EQ(handle_of(machine.slot()), handle);
  EXPECT_EQ(refusal_of(machine.slot()), 0U);
  EXPECT_FALSE(missing(machine.slot()));
  EXPECT_EQ(gpus_set_apart(machine.store()), 1U);
  EXPECT_EQ(find_gpu(machine.store(), 2, handle), &machine.slot()) << "the long way";

  ASSERT_EQ(machine.inject(FaultKind::lost), kSuccess);
  EXPECT_EQ(refusal_of(machine.slot()), kGpuIsLost);
  EXPECT_EQ(find_gpu(machine.store(), 2, handle), nullptr);
  remove_gpu(&machine.store(), &machine.store().gpus()[1]);
  ASSERT_EQ(machine.make(make_change(1, ReturnGpu{})), kSuccess);
  EXPECT_NE(machine.slot(1).handle, handle_of(machine.slot(1))) << "a GPU that comes back";
  ASSERT_EQ(machine.heal(), kSuccess);
  EXPECT_EQ(refusal_of(machine.slot()), 0U);
  EXPECT_TRUE(functions_have_faults(machine.store()));

  ASSERT_EQ(heal(), kSuccess);
  EXPECT_FALSE(functions_have_faults(machine.store()));
  EXPECT_EQ(machine.slot().handle, handle);
  EXPECT_EQ(gpus_set_apart(machine.store()), 0U);
}

TEST_F(FunctionFaultsTest, ConcernTheCallsThatTheyName) {
  FunctionFault one = fault_of("nvmlDeviceGet*", kTimeout);
  one.gpu = 1;
  ASSERT_EQ(fail(one), kSuccess);
  EXPECT_EQ(call("nvmlDeviceGetName", 1), kTimeout);
  EXPECT_EQ(call("nvmlDeviceGetName", 0), kSuccess);
  EXPECT_EQ(call("nvmlDeviceGetCount"), kSuccess) << "is about no GPU";
  EXPECT_EQ(call("nvmlDeviceSetFanSpeed", 1), kSuccess);

  FunctionFault others = fault_of("nvmlSystemGetCudaDriverVersion");
  std::strcpy(others.process, "somebody-else");
  ASSERT_EQ(fail(others), kSuccess);
  EXPECT_EQ(call("nvmlSystemGetCudaDriverVersion"), kSuccess);
  std::strcpy(others.process, "*");
  ASSERT_EQ(fail(others), kSuccess);
  EXPECT_EQ(call("nvmlSystemGetCudaDriverVersion_v2"), kGpuIsLost);
}

TEST_F(FunctionFaultsTest, AreCountedByProcessOrByAll) {
  FunctionFault second = fault_of("f");
  second.every = 2;
  ASSERT_EQ(fail(second), kSuccess);
  CallCounts other{};
  EXPECT_EQ(call("f"), kSuccess);
  EXPECT_EQ(call(other, "f"), kSuccess);
  EXPECT_EQ(call("f"), kGpuIsLost);
  EXPECT_EQ(call(other, "f"), kGpuIsLost);
  second.shared = 1;
  ASSERT_EQ(fail(second), kSuccess) << "takes the place of the one before, and counts anew";
  EXPECT_EQ(faults(), 1U);
  EXPECT_EQ(call("f"), kSuccess);
  EXPECT_EQ(call(other, "f"), kGpuIsLost);
  EXPECT_EQ(call(other, "f"), kSuccess);
}

TEST_F(FunctionFaultsTest, HaveAWindowOfMachineTime) {
  FunctionFault later = fault_of("f");
  later.from_ns = machine_time_ns(machine.store().clock) + 10'000'000'000;
  later.until_ns = later.from_ns + 5'000'000'000;
  ASSERT_EQ(fail(later), kSuccess);
  EXPECT_EQ(call("f"), kSuccess);
  ASSERT_EQ(machine.make(make_change(MachinePart::clock, AdvanceMachineClock{12'000'000'000})), kSuccess);
  EXPECT_EQ(call("f"), kGpuIsLost);
  ASSERT_EQ(machine.make(make_change(MachinePart::clock, AdvanceMachineClock{3'000'000'000})), kSuccess);
  EXPECT_EQ(call("f"), kSuccess);
}

TEST_F(FunctionFaultsTest, ASlowCallTakesItsTimeAndGoesOn) {
  FunctionFault slow = fault_of("f", 0);
  slow.delay_ns = 30'000'000;
  ASSERT_EQ(fail(slow), kSuccess);
  EXPECT_GE(test::elapsed([&] { EXPECT_EQ(call("f"), kSuccess); }), std::chrono::milliseconds(30));
  slow.code = kTimeout;
  ASSERT_EQ(fail(slow), kSuccess);
  EXPECT_EQ(call("f"), kTimeout);
}

TEST_F(FunctionFaultsTest, ACallThatHangsGoesOnWhenItIsHealed) {
  FunctionFault hung = fault_of("f", 0);
  hung.hangs = 1;
  ASSERT_EQ(fail(hung), kSuccess);
  std::atomic<Code> code = kTimeout;
  test::BlockingCall caller([&] { code = call("f"); });
  EXPECT_TRUE(caller.becomes_blocked());
  EXPECT_EQ(code, kTimeout) << "it hangs";
  EXPECT_EQ(heal("f"), kSuccess);
  caller.join();
  EXPECT_EQ(code, kSuccess);
}

// Calls that hang also look now and then, so this waits on the word itself.
TEST_F(FunctionFaultsTest, AChangeWakesWhoWaitsForOne) {
  const std::uint32_t* const word = &machine.store().functions.sequence;
  const std::uint32_t seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
  const auto took = test::elapsed([&] {
    test::BlockingCall waiter(
        [&] { sys::wait_on(word, seen, std::chrono::nanoseconds(test::kDeadline).count(), false); });
    EXPECT_TRUE(waiter.becomes_blocked());
    ASSERT_EQ(fail(fault_of("f")), kSuccess);
    waiter.join();
  });
  EXPECT_LT(took, test::kDeadline) << "nothing woke it";
}

TEST_F(FunctionFaultsTest, AreHealedByNameByGpuOrAll) {
  FunctionFault of_gpu = fault_of("f");
  of_gpu.gpu = 1;
  ASSERT_EQ(fail(of_gpu), kSuccess);
  ASSERT_EQ(fail(fault_of("f")), kSuccess);
  ASSERT_EQ(fail(fault_of("g")), kSuccess);
  EXPECT_EQ(faults(), 3U);
  EXPECT_EQ(heal("h"), kNotFound);
  EXPECT_EQ(heal("", 1), kSuccess) << "those of all calls stay";
  EXPECT_EQ(faults(), 2U);
  EXPECT_EQ(heal("g"), kSuccess);
  EXPECT_EQ(call("f"), kGpuIsLost);
  EXPECT_EQ(call("g"), kSuccess);
  EXPECT_EQ(heal(), kSuccess);
  EXPECT_EQ(heal(), kSuccess) << "none is left";
  EXPECT_EQ(faults(), 0U);
}

TEST_F(FunctionFaultsTest, RefuseWhatMakesNoSense) {
  FunctionFault wrong = fault_of("");
  EXPECT_EQ(fail(wrong), kInvalidArgument);
  EXPECT_EQ(fail(fault_of("f", 0)), kInvalidArgument) << "does nothing";
  EXPECT_EQ(fail(fault_of("f", 1000)), kInvalidArgument);
  wrong = fault_of("f");
  wrong.every = 0;
  EXPECT_EQ(fail(wrong), kInvalidArgument);
  wrong = fault_of("f");
  wrong.gpu = 2;
  EXPECT_EQ(fail(wrong), kInvalidArgument);
  wrong = fault_of("f");
  std::memset(wrong.function, 'f', sizeof wrong.function);
  EXPECT_EQ(fail(wrong), kInvalidArgument);
  for (std::uint32_t i = 0; i < kMaxFunctionFaults; ++i)
    ASSERT_EQ(fail(fault_of(("f" + std::to_string(i)).c_str())), kSuccess);
  EXPECT_EQ(fail(fault_of("one more")), kInsufficientResources);
  EXPECT_EQ(fail(fault_of("f3", kTimeout)), kSuccess) << "takes the place of its like";
}

// Killed after the faults were published, and before handles told of them.
TEST_F(FunctionFaultsTest, TheNextWriterFinishesWhatAKilledOneBegan) {
  FunctionFaultTable& table = machine.store().functions;
  FunctionFault left = fault_of("f");
  left.id = ++table.last_id;
  table.copies[(table.sequence + 1) & 1].items[0] = left;
  ++table.sequence;
  EXPECT_FALSE(functions_have_faults(machine.store()));
  ASSERT_EQ(machine.make(make_change(MachinePart::driver, FailInit{0})), kSuccess);
  EXPECT_TRUE(functions_have_faults(machine.store()));
  EXPECT_EQ(gpus_set_apart(machine.store()), 1U);
  EXPECT_EQ(heal(), kSuccess);
  EXPECT_FALSE(functions_have_faults(machine.store()));
}

}  // namespace
}  // namespace nvmlab::changes_test
