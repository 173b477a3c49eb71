// SPDX-License-Identifier: Apache-2.0
// Faults as a client of the driver meets them: which calls are answered with what, which events come, and that all is
// as before once it is healed.
#include <gtest/gtest.h>

#include "engine/topics/events/event_types.hpp"
#include "nvmlab/abi/abi.hpp"
#include "tests/drivers/functions/support/changed_gpu.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::driver_test {
namespace {

constexpr int kResetRequired = 16;

struct EventData {
  Word device;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};

class FaultyGpu : public ChangedGpu {
 protected:
  nvmlab::Code fault(FaultKind kind, std::uint32_t number = 0) {
    return change(make_change(3, InjectFault{kind, number, kNoInstance, kNoInstance, 1}));
  }
  nvmlab::Code heal() { return change(make_change(3, HealFault{true, FaultKind::xid, HealFault::kAnyNumber})); }
  unsigned long long field(unsigned id) {
    nvml::abi::nvmlFieldValue_t value{};
    value.fieldId = id;
    EXPECT_EQ(driver().call("nvmlDeviceGetFieldValues", gpu, 1, &value), kSuccess);
    return value.nvmlReturn == 0 ? value.value.uiVal : ~0ULL;
  }
  unsigned long long errors(unsigned type, unsigned counter, unsigned location) {
    unsigned long long count = ~0ULL;
    EXPECT_EQ(driver().call("nvmlDeviceGetMemoryErrorCounter", gpu, type, counter, location, &count), kSuccess);
    return count;
  }
};

// A handle that was good, and every way to ask for one.
TEST_F(FaultyGpu, OffTheBusIsLostForEveryCall) {
  const std::string uuid = driver().text("nvmlDeviceGetUUID", gpu);
  const std::string serial = driver().text("nvmlDeviceGetSerial", gpu);
  nvml::abi::nvmlPciInfo_t place{};
  ASSERT_EQ(driver().call("nvmlDeviceGetPciInfo_v3", gpu, &place), kSuccess);
  ASSERT_EQ(fault(FaultKind::xid, 79), nvmlab::kSuccess);

  EXPECT_EQ(driver().count(), 8U) << "the board is counted";
  Word found = 77;
  EXPECT_EQ(driver().call("nvmlDeviceGetHandleByIndex_v2", 3, &found), kGpuIsLost);
  EXPECT_EQ(driver().call("nvmlDeviceGetHandleByUUID", uuid.c_str(), &found), kGpuIsLost);
  EXPECT_EQ(driver().call("nvmlDeviceGetHandleBySerial", serial.c_str(), &found), kGpuIsLost);
  EXPECT_EQ(driver().call("nvmlDeviceGetHandleByPciBusId_v2", place.busId, &found), kGpuIsLost);
  EXPECT_EQ(found, 77U);
  EXPECT_EQ(temperature(gpu), kGpuIsLost);
  char name[96];
  EXPECT_EQ(driver().call("nvmlDeviceGetName", gpu, name, 96), kGpuIsLost);
  EXPECT_EQ(driver().call("nvmlDeviceSetPowerManagementLimit", gpu, 300'000), kGpuIsLost);
  nvml::abi::nvmlFieldValue_t value{};
  EXPECT_EQ(driver().call("nvmlDeviceGetFieldValues", gpu, 1, &value), kGpuIsLost);
  unsigned status = 0;
  EXPECT_EQ(driver().call("nvmlDeviceGetP2PStatus", driver().device(0), gpu, 0, &status), kGpuIsLost);
  unsigned celsius = 0;
  EXPECT_EQ(driver().call("nvmlDeviceGetTemperature", gpu, 0, nullptr), kInvalidArgument) << "pointers come first";
  EXPECT_EQ(driver().call("nvmlDeviceGetTemperature", gpu ^ 4, 0, &celsius), kInvalidArgument) << "no such handle";

  for (unsigned other : {0U, 2U, 4U, 7U})
    EXPECT_EQ(temperature(driver().device(other)), kSuccess) << other;
  ASSERT_EQ(heal(), nvmlab::kSuccess);
  EXPECT_EQ(temperature(gpu), kSuccess) << "the handle of before";
  EXPECT_EQ(driver().device(3), gpu);
}

TEST_F(FaultyGpu, AnXidIsAnEventBeforeTheGpuIsLost) {
  Word set = 0;
  ASSERT_EQ(driver().call("nvmlEventSetCreate", &set), kSuccess);
  ASSERT_EQ(driver().call("nvmlDeviceRegisterEvents", gpu, kXidEvent, set), kSuccess);
  ASSERT_EQ(fault(FaultKind::xid, 79), nvmlab::kSuccess);
  EventData data{};
  ASSERT_EQ(driver().call("nvmlEventSetWait_v2", set, &data, 0), kSuccess);
  EXPECT_EQ(data.device, gpu);
  EXPECT_EQ(data.data, 79U);
  EXPECT_EQ(driver().call("nvmlEventSetWait_v2", set, &data, test::kDeadlineMs), kGpuIsLost);
  ASSERT_EQ(heal(), nvmlab::kSuccess);
  EXPECT_EQ(driver().call("nvmlEventSetWait_v2", set, &data, 0), kTimeout);
  EXPECT_EQ(driver().call("nvmlEventSetFree", set), kSuccess);
}

TEST_F(FaultyGpu, ThatMustBeResetSaysSo) {
  Word set = 0;
  ASSERT_EQ(driver().call("nvmlEventSetCreate", &set), kSuccess);
  ASSERT_EQ(driver().call("nvmlDeviceRegisterEvents", gpu, kXidEvent | kRecoveryActionEvent, set), kSuccess);
  ASSERT_EQ(fault(FaultKind::xid, 119), nvmlab::kSuccess);
  EXPECT_EQ(driver().device(3), gpu) << "a handle to reset it by";
  EXPECT_EQ(temperature(gpu), kResetRequired);
  EXPECT_EQ(field(230), 1U) << "what to do about it";
  EXPECT_EQ(field(83), ~0ULL) << "energy";
  EXPECT_EQ(driver().text("nvmlDeviceGetName", gpu), "NVIDIA H100 80GB HBM3");
  EventData data{};
  std::vector<unsigned long long> told;
  while (driver().call("nvmlEventSetWait_v2", set, &data, 0) == kSuccess)
    told.push_back(data.type == kXidEvent ? data.data : data.type);
  EXPECT_EQ(told, (std::vector<unsigned long long>{119, kRecoveryActionEvent, 154}));
  ASSERT_EQ(change(make_change(3, ResetGpu{})), nvmlab::kSuccess);
  EXPECT_EQ(temperature(gpu), kSuccess);
  EXPECT_EQ(driver().call("nvmlEventSetFree", set), kSuccess);
}

// What nvidia-smi calls for -r, which takes a handle from before.
TEST_F(FaultyGpu, ThatMustBeResetCanBe) {
  constexpr unsigned char kTable[16] = {0xC4, 0xFE, 0x3E, 0x6C, 0xC9, 0x8F, 0x6C, 0x4E,
                                        0xA3, 0x27, 0xEE, 0x69, 0x6E, 0x12, 0xF7, 0xC4};
  const Word* table = nullptr;
  ASSERT_EQ(driver().call("nvmlInternalGetExportTable", &table, kTable), kSuccess);
  const auto reset = reinterpret_cast<int (*)(unsigned, const Word*, unsigned*, unsigned*)>(table[168]);
  ASSERT_EQ(driver().call("nvmlDeviceSetPersistenceMode", gpu, 0), kSuccess);
  unsigned result = 77;
  unsigned switches = 77;
  ASSERT_EQ(fault(FaultKind::lost), nvmlab::kSuccess);
  EXPECT_EQ(reset(1, &gpu, &result, &switches), kInvalidArgument) << "nothing reaches it";
  ASSERT_EQ(heal(), nvmlab::kSuccess);
  ASSERT_EQ(fault(FaultKind::reset_required), nvmlab::kSuccess);
  EXPECT_EQ(temperature(gpu), kResetRequired);
  ASSERT_EQ(reset(1, &gpu, &result, &switches), kSuccess);
  EXPECT_EQ(result, 0U);
  EXPECT_EQ(temperature(gpu), kSuccess);
}

TEST_F(FaultyGpu, ThatFailedToInitialiseIsNotThere) {
  const Word next = driver().device(4);
  ASSERT_EQ(fault(FaultKind::missing), nvmlab::kSuccess);
  EXPECT_EQ(driver().count(), 7U);
  EXPECT_EQ(driver().device(3), next) << "later ones move up";
  EXPECT_EQ(temperature(gpu), kGpuIsLost);
  ASSERT_EQ(heal(), nvmlab::kSuccess);
  EXPECT_EQ(driver().count(), 8U);
  EXPECT_EQ(driver().device(3), gpu);
}

TEST_F(FaultyGpu, WithAnUncontainedErrorTellsTheSameEverywhere) {
  const auto volatile_before = errors(1, 0, 2);
  const auto aggregate_before = errors(1, 1, 2);
  ASSERT_EQ(fault(FaultKind::ecc_uncontained, kDramLocation), nvmlab::kSuccess);
  EXPECT_EQ(errors(1, 0, 2), volatile_before + 1);
  EXPECT_EQ(errors(1, 1, 2), aggregate_before + 1);
  unsigned long long total = 0;
  ASSERT_EQ(driver().call("nvmlDeviceGetTotalEccErrors", gpu, 1, 0, &total), kSuccess);
  EXPECT_GE(total, volatile_before + 1);
  unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 77;
  ASSERT_EQ(driver().call("nvmlDeviceGetRemappedRows", gpu, &corrected, &uncorrected, &pending, &failed), kSuccess);
  EXPECT_EQ(uncorrected, 1U);
  EXPECT_EQ(pending, 1U);
  EXPECT_EQ(failed, 0U);
  EXPECT_EQ(field(230), 1U) << "recovery action";
  ASSERT_EQ(heal(), nvmlab::kSuccess);
  EXPECT_EQ(field(230), 0U);
  EXPECT_EQ(errors(1, 1, 2), aggregate_before + 1) << "what was counted stays";
}

TEST_F(FaultyGpu, SlowedDownByHeatGivesTheReasons) {
  unsigned long long reasons = 0;
  unsigned clock = 0, highest = 0;
  ASSERT_EQ(fault(FaultKind::thermal_slowdown), nvmlab::kSuccess);
  ASSERT_EQ(driver().call("nvmlDeviceGetCurrentClocksEventReasons", gpu, &reasons), kSuccess);
  EXPECT_EQ(reasons & 0x48U, 0x48U) << "HW slowdown, and that it is for heat";
  ASSERT_EQ(driver().call("nvmlDeviceGetClockInfo", gpu, 0, &clock), kSuccess);
  ASSERT_EQ(driver().call("nvmlDeviceGetMaxClockInfo", gpu, 0, &highest), kSuccess);
  EXPECT_LE(clock, highest / 2);
  ASSERT_EQ(heal(), nvmlab::kSuccess);
  ASSERT_EQ(driver().call("nvmlDeviceGetCurrentClocksEventReasons", gpu, &reasons), kSuccess);
  EXPECT_EQ(reasons & 0x48U, 0U);
}

TEST_F(FaultyGpu, WithALinkDownCountsItsErrors) {
  unsigned active = 77;
  ASSERT_EQ(fault(FaultKind::nvlink_down, 4), nvmlab::kSuccess);
  ASSERT_EQ(driver().call("nvmlDeviceGetNvLinkState", gpu, 4, &active), kSuccess);
  EXPECT_EQ(active, 0U);
  ASSERT_EQ(driver().call("nvmlDeviceGetNvLinkState", gpu, 5, &active), kSuccess);
  EXPECT_EQ(active, 1U);
  ASSERT_EQ(change(make_change(3, ResetGpu{})), nvmlab::kSuccess);
  ASSERT_EQ(driver().call("nvmlDeviceGetNvLinkState", gpu, 4, &active), kSuccess);
  EXPECT_EQ(active, 1U);
}

// Fields 226 and 227 are the older form of field 230.
TEST(FaultsOfOldDrivers, AreToldByTheFlagsOfThatTime) {
  const SharedMachine machine("dgx-h100", "535");
  AttachedStore control;
  ASSERT_FALSE(attach_store(machine.path().c_str(), &control));
  MachineAccess whole{*control.store, control.file, true};
  const auto flags = [] {
    return in_child([] {
      const Driver& old = Driver::get();
      if (old.init() != kSuccess) return std::string("no init");
      nvml::abi::nvmlFieldValue_t values[2] = {};
      values[0].fieldId = 226;
      values[1].fieldId = 227;
      if (old.call("nvmlDeviceGetFieldValues", old.device(0), 2, values) != kSuccess) return std::string("no fields");
      return std::to_string(values[0].value.uiVal) + std::to_string(values[1].value.uiVal);
    });
  };
  EXPECT_EQ(flags(), "00");
  ASSERT_EQ(apply(whole, make_change(0, InjectFault{FaultKind::xid, 149, kNoInstance, kNoInstance, 1})).code,
            nvmlab::kSuccess);
  EXPECT_EQ(flags(), "01");
  ASSERT_EQ(apply(whole, make_change(0, InjectFault{FaultKind::xid, 95, kNoInstance, kNoInstance, 1})).code,
            nvmlab::kSuccess);
  EXPECT_EQ(flags(), "10");
  detach_store(&control);
}

// A process that starts while a GPU is lost.
TEST(FaultsAtTheStart, ALostGpuIsCountedAndNotGiven) {
  const SharedMachine machine("dgx-a100");
  AttachedStore control;
  ASSERT_FALSE(attach_store(machine.path().c_str(), &control));
  MachineAccess whole{*control.store, control.file, true};
  ASSERT_EQ(apply(whole, make_change(0, InjectFault{FaultKind::lost, 0, kNoInstance, kNoInstance, 1})).code,
            nvmlab::kSuccess);
  EXPECT_EQ(in_child([] {
              const Driver& fresh = Driver::get();
              if (fresh.init() != kSuccess) return std::string("no init");
              if (fresh.count() != 8) return "counts " + std::to_string(fresh.count());
              Word device = 0;
              const int code = fresh.call("nvmlDeviceGetHandleByIndex_v2", 0, &device);
              if (code != kGpuIsLost) return "answers " + std::to_string(code);
              unsigned index = 0;
              if (fresh.call("nvmlDeviceGetIndex", fresh.device(1), &index) != kSuccess || index != 1)
                return std::string("another index");
              return std::string();
            }),
            "");
  detach_store(&control);
}

}  // namespace
}  // namespace nvmlab::driver_test
