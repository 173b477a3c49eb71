// SPDX-License-Identifier: Apache-2.0
// What clients are told of a GPU that is loaded: every getter of one quantity tells the same, none leaks that something
// moves, and what the other side changes under load is seen here.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "engine/change/change.hpp"
#include "nvmlab/abi/abi.hpp"
#include "tests/drivers/functions/support/arguments.hpp"
#include "tests/drivers/functions/support/steps.hpp"

namespace nvmlab::driver_test {
namespace {

namespace abi = nvml::abi;

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMinute = 60 * kSecond;

class Loaded : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(change(make_change(MachinePart::clock, SetMachineClock{ClockMode::virtual_time, 0})), "");
    ASSERT_EQ(driver().init(), kSuccess);
    gpu = driver().device(0);
  }
  void TearDown() override { EXPECT_EQ(driver().shutdown(), kSuccess); }

  std::string change(const Change& change) {
    return in_child([&]() -> std::string {
      AttachedStore control;
      if (attach_store(machine.path().c_str(), &control)) return "cannot map the machine";
      MachineAccess whole{*control.store, control.file, true};
      const nvmlab::Code code = apply(whole, change).code;
      return code == nvmlab::kSuccess ? "" : "code " + std::to_string(code);
    });
  }
  void load(LoadKind kind) { ASSERT_EQ(change(make_change(0, SetLoad{kind, kOfKind, kOfKind, kSameAir, 0})), ""); }
  void begin_work_of(unsigned pid) {
    StartProcess process{};
    process.pid = pid;
    process.kinds = 7;
    process.gpu_instance = process.compute_instance = kNoInstance;
    ASSERT_EQ(change(make_change(0, process)), "");
    SetLoad training{LoadKind::training, kOfKind, kOfKind, kSameAir, 0};
    training.pid = pid;
    ASSERT_EQ(change(make_change(0, training)), "");
  }
  void advance(std::uint64_t by_ns) {
    ASSERT_EQ(change(make_change(MachinePart::clock, AdvanceMachineClock{by_ns})), "");
  }

  template <class... Arguments>
  unsigned number(const char* function, Arguments... arguments) const {
    unsigned value = ~0U;
    EXPECT_EQ(driver().call(function, gpu, arguments..., &value), kSuccess) << function;
    return value;
  }
  abi::nvmlUtilization_t shares() const {
    abi::nvmlUtilization_t value{};
    EXPECT_EQ(driver().call("nvmlDeviceGetUtilizationRates", gpu, &value), kSuccess);
    return value;
  }
  unsigned long long energy() const {
    unsigned long long value = 0;
    EXPECT_EQ(driver().call("nvmlDeviceGetTotalEnergyConsumption", gpu, &value), kSuccess);
    return value;
  }
  abi::nvmlFieldValue_t field(unsigned id, unsigned scope = 0) const {
    abi::nvmlFieldValue_t value{};
    value.fieldId = id;
    value.scopeId = scope;
    EXPECT_EQ(driver().call("nvmlDeviceGetFieldValues", gpu, 1, &value), kSuccess);
    return value;
  }

  SharedMachine machine{"dgx-h100"};
  Word gpu = 0;
};

TEST_F(Loaded, EveryGetterOfAQuantityTellsTheSame) {
  load(LoadKind::training);
  advance(2 * kMinute);
  EXPECT_GT(shares().gpu, 90U);
  EXPECT_GT(shares().memory, 50U);
  EXPECT_EQ(number("nvmlDeviceGetClockInfo", abi::NVML_CLOCK_GRAPHICS), 1980U);
  EXPECT_EQ(number("nvmlDeviceGetClock", abi::NVML_CLOCK_SM, abi::NVML_CLOCK_ID_CURRENT), 1980U);
  EXPECT_EQ(number("nvmlDeviceGetPerformanceState"), 0U);
  const unsigned power = number("nvmlDeviceGetPowerUsage");
  EXPECT_GT(power, 500'000U);
  EXPECT_EQ(field(abi::FI_DEV_POWER_AVERAGE).value.uiVal, power);
  EXPECT_EQ(field(abi::FI_DEV_POWER_AVERAGE).nvmlReturn, abi::NVML_SUCCESS);
  EXPECT_EQ(field(abi::FI_DEV_TOTAL_ENERGY_CONSUMPTION).value.ullVal, energy());
  const unsigned celsius = number("nvmlDeviceGetTemperature", abi::NVML_TEMPERATURE_GPU);
  EXPECT_GT(celsius, 50U);
  abi::nvmlGpuThermalSettings_t sensors{};
  ASSERT_EQ(driver().call("nvmlDeviceGetThermalSettings", gpu, 15, &sensors), kSuccess);
  EXPECT_EQ(sensors.sensor[0].currentTemp, static_cast<int>(celsius));
  EXPECT_GT(sensors.sensor[1].currentTemp, 40);
  EXPECT_EQ(field(abi::FI_DEV_MEMORY_TEMP).value.uiVal, static_cast<unsigned>(sensors.sensor[1].currentTemp));
  abi::nvmlMarginTemperature_t margin{};
  margin.version = sizeof margin | 1U << 24;
  ASSERT_EQ(driver().call("nvmlDeviceGetMarginTemperature", gpu, &margin), kSuccess);
  EXPECT_LT(margin.marginTemperature, 87 - static_cast<int>(celsius) + 1);
  EXPECT_EQ(field(abi::FI_DEV_TEMPERATURE_SHUTDOWN_TLIMIT).nvmlReturn, abi::NVML_SUCCESS);
  abi::nvmlGpuDynamicPstatesInfo_t info{};
  ASSERT_EQ(driver().call("nvmlDeviceGetDynamicPstatesInfo", gpu, &info), kSuccess);
  EXPECT_EQ(info.utilization[0].percentage, shares().gpu);
}

TEST_F(Loaded, CountersAgreeWithReasons) {
  load(LoadKind::training);
  ASSERT_EQ(change(make_change(0, SetPowerLimit{PowerScope::gpu, 400'000})), "");
  const auto violation = [this] {
    abi::nvmlViolationTime_t value{};
    EXPECT_EQ(driver().call("nvmlDeviceGetViolationStatus", gpu, abi::NVML_PERF_POLICY_POWER, &value), kSuccess);
    return value.violationTime;
  };
  advance(kMinute);
  unsigned long long reasons = 0;
  ASSERT_EQ(driver().call("nvmlDeviceGetCurrentClocksEventReasons", gpu, &reasons), kSuccess);
  EXPECT_EQ(reasons, 4U);
  const unsigned long long before = violation();
  const unsigned long long spent = energy();
  advance(kMinute);
  EXPECT_EQ(violation() - before, kMinute);
  EXPECT_NEAR(static_cast<double>(energy() - spent), 400'000.0 * 60, 400'000.0 * 60 / 100);
  EXPECT_EQ(field(abi::FI_DEV_PERF_POLICY_POWER).value.ullVal, violation());
}

TEST_F(Loaded, SamplesTellTheCurve) {
  advance(10 * kMinute);
  load(LoadKind::training);
  advance(kSecond);
  std::vector<abi::nvmlSample_t> samples(120);
  auto count = static_cast<unsigned>(samples.size());
  unsigned type = 0;
  ASSERT_EQ(
      driver().call("nvmlDeviceGetSamples", gpu, abi::NVML_TOTAL_POWER_SAMPLES, 0ULL, &type, &count, samples.data()),
      kSuccess);
  ASSERT_EQ(count, 120U);
  EXPECT_LT(samples.front().sampleValue.uiVal, 150'000U) << "before the load";
  EXPECT_GT(samples.back().sampleValue.uiVal, 400'000U);
  for (unsigned i = 1; i < count; ++i)
    EXPECT_GE(samples[i].sampleValue.uiVal + 20'000, samples[i - 1].sampleValue.uiVal) << i;
}

TEST_F(Loaded, AProcessThatWorksHasTheSharesOfTheGpu) {
  begin_work_of(4242);
  advance(kMinute);
  abi::nvmlProcessUtilizationSample_t sample{};
  unsigned count = 1;
  ASSERT_EQ(driver().call("nvmlDeviceGetProcessUtilization", gpu, &sample, &count, 0ULL), kSuccess);
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(sample.pid, 4242U);
  EXPECT_EQ(sample.smUtil, shares().gpu);
  EXPECT_EQ(sample.memUtil, shares().memory);
  EXPECT_GT(sample.smUtil, 90U);
}

// What each link counts, what GPM makes of two looks at it, and what it counts itself.
TEST_F(Loaded, LinksAndTheMonitorAgree) {
  constexpr unsigned all_links = ~0U;
  const auto cells = [this](std::initializer_list<unsigned> ids, Word first, Word second) {
    static abi::nvmlGpmMetricsGet_t asked;
    asked = {};
    asked.version = 1;
    asked.sample1 = reinterpret_cast<abi::nvmlGpmSample_t>(first);
    asked.sample2 = reinterpret_cast<abi::nvmlGpmSample_t>(second);
    for (const unsigned id : ids)
      asked.metrics[asked.numMetrics++].metricId = id;
    EXPECT_EQ(driver().call("nvmlGpmMetricsGet", &asked), kSuccess);
    std::vector<double> values;
    for (unsigned i = 0; i < asked.numMetrics; ++i) {
      EXPECT_EQ(asked.metrics[i].nvmlReturn, abi::NVML_SUCCESS) << asked.metrics[i].metricId;
      values.push_back(asked.metrics[i].value);
    }
    return values;
  };
  Word first = 0;
  Word second = 0;
  ASSERT_EQ(driver().call("nvmlGpmSampleAlloc", &first), kSuccess);
  ASSERT_EQ(driver().call("nvmlGpmSampleAlloc", &second), kSuccess);
  load(LoadKind::training);
  advance(kMinute);
  ASSERT_EQ(driver().call("nvmlGpmSampleGet", gpu, first), kSuccess);
  const auto link3 = field(abi::FI_DEV_NVLINK_THROUGHPUT_DATA_TX, 3).value.ullVal;
  const auto everything = field(abi::FI_DEV_NVLINK_THROUGHPUT_DATA_RX, all_links).value.ullVal;
  EXPECT_GT(link3, 0U);
  EXPECT_EQ(everything, link3 * 18);
  advance(10 * kSecond);
  ASSERT_EQ(driver().call("nvmlGpmSampleGet", gpu, second), kSuccess);
  const double grew_mib =
      static_cast<double>(field(abi::FI_DEV_NVLINK_THROUGHPUT_DATA_TX, 3).value.ullVal - link3) / 1024;
  const auto now = cells(
      {abi::NVML_GPM_METRIC_NVLINK_TOTAL_TX_PER_SEC, abi::NVML_GPM_METRIC_NVLINK_L3_TX_PER_SEC,
       abi::NVML_GPM_METRIC_SM_UTIL, abi::NVML_GPM_METRIC_SM_CYCLES_ELAPSED, abi::NVML_GPM_METRIC_SM_CYCLES_ACTIVE,
       abi::NVML_GPM_METRIC_NVLINK_L3_TX, abi::NVML_GPM_METRIC_MMA_CYCLES_ACTIVE, abi::NVML_GPM_METRIC_ANY_TENSOR_UTIL},
      first, second);
  EXPECT_NEAR(now[1], grew_mib / 10, 0.01);
  EXPECT_NEAR(now[0], 18 * now[1], 0.1);
  EXPECT_NEAR(now[2], now[4] / now[3] * 100, 3) << "SM activity";
  EXPECT_NEAR(now[7], now[6] / now[3] * 100, 3) << "tensor activity";
  EXPECT_EQ(now[5], static_cast<double>(field(abi::FI_DEV_NVLINK_THROUGHPUT_DATA_TX, 3).value.ullVal) * 1024);
  EXPECT_NEAR(now[3], 70 * 1980e6, 1980e6) << "SM clock times time";
  for (const Word sample : {first, second})
    EXPECT_EQ(driver().call("nvmlGpmSampleFree", sample), kSuccess);
}

// Whatever is asked, with arguments that could be right: no code is told that NVML does not have.
TEST_F(Loaded, NoGetterSaysThatSomethingMoves) {
  begin_work_of(4242);
  advance(kMinute);
  int asked = 0;
  for (const FunctionFacts& function : Api::get().functions()) {
    if (!function.takes_device() || !function.in_driver(Api::kNewestDriver)) continue;
    if (function.name.find("Get") == std::string::npos) continue;
    ++asked;
    EXPECT_EQ(in_child([&]() -> std::string {
                Arguments arguments(function, gpu);
                const int code = arguments.call();
                return code > 999 ? "code " + std::to_string(code) : "";
              }),
              "")
        << function.name;
  }
  EXPECT_GT(asked, 150);
  for (unsigned id = 0; id < 300; ++id) {
    for (unsigned scope = 0; scope < 3; ++scope)
      EXPECT_LE(field(id, scope).nvmlReturn, 999) << "field " << id << " of scope " << scope;
  }
}

}  // namespace
}  // namespace nvmlab::driver_test
