// SPDX-License-Identifier: Apache-2.0
// Functions with a fault, as a client of the driver meets them: what they answer instead, how long they take, and that
// a call that hangs runs signal handlers, ends when it is healed, and dies of a signal that is fatal.
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "nvmlab/abi/abi.hpp"
#include "tests/drivers/functions/support/changed_gpu.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::driver_test {
namespace {

using namespace std::chrono_literals;
constexpr int kUnknown = 999;

FunctionFault fault_of(const char* function, std::uint32_t code, std::uint32_t gpu = kAnyGpu) {
  FunctionFault fault{};
  fault.gpu = gpu;
  fault.code = code;
  fault.every = 1;
  fault.chance = kCertain;
  std::strncpy(fault.function, function, sizeof fault.function - 1);
  return fault;
}

FunctionFault hung(const char* function) {
  FunctionFault fault = fault_of(function, 0);
  fault.hangs = 1;
  return fault;
}

class FaultyFunction : public ChangedGpu {
 protected:
  void TearDown() override {
    heal();
    ChangedGpu::TearDown();
  }
  void fail(const FunctionFault& fault) {
    ASSERT_EQ(change(make_change(MachinePart::functions, FailFunction{fault})), nvmlab::kSuccess);
  }
  nvmlab::Code heal() { return change(make_change(MachinePart::functions, HealFunctions{kAnyGpu, 0, {}})); }
};

TEST_F(FaultyFunction, OfOneGpuAnswersItsCode) {
  ASSERT_EQ(temperature(gpu), kSuccess);
  fail(fault_of("nvmlDeviceGetTemperature", kTimeout, 3));
  EXPECT_EQ(temperature(gpu), static_cast<int>(kTimeout));
  EXPECT_EQ(temperature(driver().device(4)), kSuccess);
  EXPECT_EQ(driver().text("nvmlDeviceGetName", gpu), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(driver().call("nvmlDeviceGetTemperature", gpu, 0, nullptr), kInvalidArgument) << "pointers come first";
  unsigned celsius = 0;
  EXPECT_EQ(driver().call("nvmlDeviceGetTemperature", gpu + 1, 0, &celsius), kInvalidArgument) << "handles too";
  EXPECT_EQ(driver().device(3), gpu) << "the handle is what it was";
  ASSERT_EQ(heal(), nvmlab::kSuccess);
  EXPECT_EQ(temperature(gpu), kSuccess);
}

// Whatever the way of a function through the driver.
TEST_F(FaultyFunction, OfEveryShapeAnswersItsCode) {
  fail(fault_of("*", kUnknown));
  unsigned number = 0;
  Word device = 0;
  char text[96] = {};
  nvml::abi::nvmlMemory_t memory{};
  EXPECT_EQ(temperature(gpu), kUnknown);
  EXPECT_EQ(driver().call("nvmlDeviceGetMemoryInfo", gpu, &memory), kUnknown);
  EXPECT_EQ(driver().call("nvmlDeviceGetUUID", gpu, text, 96), kUnknown);
  EXPECT_EQ(driver().call("nvmlDeviceGetCount_v2", &number), kUnknown);
  EXPECT_EQ(driver().call("nvmlDeviceGetHandleByIndex_v2", 3, &device), kUnknown);
  EXPECT_EQ(driver().call("nvmlSystemGetDriverVersion", text, 96), kUnknown);
  EXPECT_EQ(driver().call("nvmlDeviceSetPowerManagementLimit", gpu, 300'000), kUnknown);
  EXPECT_EQ(driver().call("nvmlEventSetCreate", &device), kUnknown);
  EXPECT_EQ(driver().call("nvmlUnitGetCount", &number), kUnknown);
  EXPECT_EQ(driver().call("nvmlShutdown"), kUnknown);
  EXPECT_EQ(driver().call("nvmlInit_v2"), kUnknown);
  ASSERT_EQ(heal(), nvmlab::kSuccess);
  EXPECT_EQ(temperature(gpu), kSuccess) << "neither was initialised nor shut down once too often";
}

// nvidia-smi's own, which have no names but their slots.
TEST_F(FaultyFunction, OfTheInternalTableAnswersItsCode) {
  constexpr unsigned char id[16] = {0xC4, 0xFE, 0x3E, 0x6C, 0xC9, 0x8F, 0x6C, 0x4E,
                                    0xA3, 0x27, 0xEE, 0x69, 0x6E, 0x12, 0xF7, 0xC4};
  const Word* table = nullptr;
  ASSERT_EQ(driver().call("nvmlInternalGetExportTable", &table, id), kSuccess);
  const auto limit_of = [table](Word device) {
    unsigned milliwatts = 0;
    return reinterpret_cast<int (*)(Word, unsigned*)>(table[108])(device, &milliwatts);
  };
  ASSERT_EQ(limit_of(gpu), kSuccess);
  fail(fault_of("nvmlInternalSlot108", kUnknown, 3));
  EXPECT_EQ(limit_of(gpu), kUnknown);
  EXPECT_EQ(limit_of(driver().device(4)), kSuccess);
  EXPECT_EQ(limit_of(gpu + 1), kInvalidArgument) << "handles come first";
  EXPECT_EQ(temperature(gpu), kSuccess);
  ASSERT_EQ(heal(), nvmlab::kSuccess);
  EXPECT_EQ(limit_of(gpu), kSuccess);
  fail(fault_of("nvmlInternalSlot*", kUnknown));
  unsigned place[3] = {};
  const auto place_of = reinterpret_cast<int (*)(unsigned, unsigned*, unsigned*, unsigned*)>(table[75]);
  EXPECT_EQ(place_of(0, place, place + 1, place + 2), kUnknown);
}

TEST_F(FaultyFunction, ThatFindsAGpuByIndexCanFailForOne) {
  fail(fault_of("nvmlDeviceGetHandleByIndex", kUnknown, 3));
  Word device = 0;
  EXPECT_EQ(driver().call("nvmlDeviceGetHandleByIndex_v2", 3, &device), kUnknown);
  EXPECT_EQ(driver().call("nvmlDeviceGetHandleByIndex_v2", 2, &device), kSuccess);
  EXPECT_EQ(driver().count(), 8U);
}

TEST_F(FaultyFunction, FailsEachThirdTime) {
  FunctionFault third = fault_of("nvmlDeviceGetTemperature", kUnknown);
  third.every = 3;
  fail(third);
  std::string calls;
  for (int i = 0; i < 9; ++i)
    calls += temperature(gpu) == kSuccess ? '.' : '!';
  EXPECT_EQ(calls, "..!..!..!");
}

TEST_F(FaultyFunction, ComesBeforeALostGpu) {
  ASSERT_EQ(change(make_change(3, InjectFault{FaultKind::lost, 0, kNoInstance, kNoInstance, 1})), nvmlab::kSuccess);
  EXPECT_EQ(temperature(gpu), kGpuIsLost);
  fail(fault_of("nvmlDeviceGetTemperature", kUnknown));
  EXPECT_EQ(temperature(gpu), kUnknown);
  ASSERT_EQ(heal(), nvmlab::kSuccess);
  EXPECT_EQ(temperature(gpu), kGpuIsLost);
}

TEST_F(FaultyFunction, IsSlow) {
  FunctionFault slow = fault_of("nvmlDeviceGetTemperature", 0);
  slow.delay_ns = 50'000'000;
  fail(slow);
  EXPECT_GE(test::elapsed([&] { EXPECT_EQ(temperature(gpu), kSuccess); }), 50ms);
}

std::atomic<int> handled = 0;
void count_signal(int) { ++handled; }

TEST_F(FaultyFunction, ThatHangsRunsSignalHandlersAndGoesOnWhenItIsHealed) {
  struct sigaction action {};
  action.sa_handler = count_signal;
  struct sigaction before {};
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);
  fail(hung("nvmlDeviceGetTemperature"));
  std::atomic<int> code = -1;
  test::BlockingCall caller([&] { code = temperature(gpu); });
  // One after the other: the kernel delivers signals of one number that are pending at the same time as one.
  for (int i = 1; i <= 3; ++i) {
    EXPECT_TRUE(caller.becomes_blocked());
    ASSERT_EQ(::pthread_kill(caller.native_handle(), SIGUSR1), 0);
    EXPECT_TRUE(test::eventually([i] { return handled == i; })) << i;
  }
  EXPECT_EQ(code, -1) << "it still hangs";
  EXPECT_EQ(driver().text("nvmlDeviceGetName", gpu), "NVIDIA H100 80GB HBM3") << "others do not";
  ASSERT_EQ(heal(), nvmlab::kSuccess);
  caller.join();
  EXPECT_EQ(code, kSuccess);
  ::sigaction(SIGUSR1, &before, nullptr);
}

TEST_F(FaultyFunction, ThatHangsDiesOfASignalThatIsFatal) {
  fail(hung("nvmlDeviceGetTemperature"));
  const pid_t child = ::fork();
  if (child == 0) {
    temperature(gpu);
    ::_exit(0);
  }
  EXPECT_TRUE(test::becomes_blocked(child));
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, WNOHANG), 0) << "it hangs";
  ::kill(child, SIGTERM);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
}

TEST_F(FaultyFunction, ThatHangsHoldsNoLock) {
  fail(hung("nvmlInit"));
  std::atomic<int> code = -1;
  test::BlockingCall caller([&] { code = driver().init(); });
  EXPECT_TRUE(caller.becomes_blocked());
  EXPECT_EQ(code, -1);
  EXPECT_EQ(temperature(gpu), kSuccess) << "the lock of init is free";
  ASSERT_EQ(heal(), nvmlab::kSuccess);
  caller.join();
  EXPECT_EQ(code, kSuccess);
  EXPECT_EQ(driver().shutdown(), kSuccess);
}

// In every process that has the machine to itself: a call about the GPU that is lost from the third on.
TEST(FaultyFunctions, OfAGoMockConfigurationFail) {
  const TemporaryFolder folder;
  const auto file = folder.write("mock.yaml",
                                 "version: \"1.0\"\nsystem: {driver_version: 550.54.15, num_devices: 2}\n"
                                 "device_defaults: {name: X}\ndevices:\n  - {index: 0, failure: {mode: lost}}\n"
                                 "  - {index: 1, failure: {mode: fallen_off_bus, after_calls: 3}}\n");
  const Environment environment({{"MOCK_NVML_CONFIG", file.string()}});
  EXPECT_EQ(in_child([]() -> std::string {
              const Driver& driver = Driver::get();
              if (driver.init() != kSuccess) return "init";
              Word device = 0;
              if (driver.call("nvmlDeviceGetHandleByIndex_v2", 0, &device) != kGpuIsLost) return "GPU 0 is there";
              std::string answers;
              for (int i = 0; i < 4; ++i) {
                unsigned index = 0;
                if (i == 0) answers += std::to_string(driver.call("nvmlDeviceGetHandleByIndex_v2", 1, &device)) + " ";
                answers += std::to_string(driver.call("nvmlDeviceGetIndex", device, &index)) + " ";
              }
              return answers;
            }),
            "0 0 15 15 15 ");
}

}  // namespace
}  // namespace nvmlab::driver_test
