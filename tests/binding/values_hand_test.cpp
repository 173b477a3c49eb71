// SPDX-License-Identifier: Apache-2.0
// The typed values that a person wrote, from and to C.
#include <gtest/gtest.h>

#include <cstring>

#include "nvmlab/abi/abi.hpp"
#include "nvmlab/nvml/generated/convert_fabric.hpp"
#include "nvmlab/nvml/generated/values_fabric.hpp"
#include "nvmlab/nvml/values/dynamic_pstates.hpp"
#include "nvmlab/nvml/values/gpm_metric.hpp"
#include "nvmlab/nvml/values/perf_metrics.hpp"
#include "nvmlab/nvml/values/power_profiles.hpp"
#include "nvmlab/nvml/values/prm_tlv.hpp"
#include "nvmlab/nvml/values/thermal_settings.hpp"
#include "nvmlab/nvml/values/uuid.hpp"
#include "nvmlab/nvml/values/vgpu_metadata.hpp"
#include "nvmlab/nvml/values/vgpu_scheduler.hpp"

// Within nvml: a compiler's own <cxxabi.h> has an `abi` of its own.
namespace nvml {
namespace {

using namespace std::chrono_literals;

// None of these has padding within what is filled: the bytes can be compared.
template <class C>
bool same_bytes(const C& a, const C& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

TEST(ValuesHand, AUuidIsTextOrBytes) {
  Uuid uuid = std::string{"GPU-1"};
  abi::nvmlUUID_v1_t c{};
  to_c(uuid, c);
  EXPECT_EQ(c.version, abi::version_of<abi::nvmlUUID_v1_t>);
  EXPECT_EQ(c.type, abi::NVML_UUID_TYPE_ASCII);
  EXPECT_STREQ(c.value.str, "GPU-1");
  Uuid back;
  from_c(c, back);
  EXPECT_EQ(back, uuid);

  std::array<std::uint8_t, 16> bytes{};
  bytes.fill(0xAB);
  uuid = bytes;
  to_c(uuid, c);
  EXPECT_EQ(c.type, abi::NVML_UUID_TYPE_BINARY);
  from_c(c, back);
  EXPECT_EQ(back, uuid);

  c.type = abi::NVML_UUID_TYPE_NONE;
  from_c(c, back);
  EXPECT_EQ(back, Uuid{});
}

TEST(ValuesHand, ThermalSensorsAreAsManyAsCounted) {
  abi::nvmlGpuThermalSettings_t c{};
  c.count = 2;
  c.sensor[0] = {abi::NVML_THERMAL_CONTROLLER_GPU_INTERNAL, -1, 105, 44, abi::NVML_THERMAL_TARGET_GPU};
  c.sensor[1] = {abi::NVML_THERMAL_CONTROLLER_UNKNOWN, 0, 95, -3, abi::NVML_THERMAL_TARGET_ALL};
  GpuThermalSettings settings;
  from_c(c, settings);
  ASSERT_EQ(settings.sensors.size(), 2U);
  EXPECT_EQ(settings.sensors[0].current, Celsius{44});
  EXPECT_EQ(settings.sensors[0].default_max, Celsius{105});
  EXPECT_EQ(settings.sensors[1].controller, ThermalController::unknown);
  abi::nvmlGpuThermalSettings_t back;
  to_c(settings, back);
  EXPECT_TRUE(same_bytes(c, back));
  c.count = 99;
  from_c(c, settings);
  EXPECT_EQ(settings.sensors.size(), 3U);
}

TEST(ValuesHand, AbsentUtilizationDomainsAreNothing) {
  abi::nvmlGpuDynamicPstatesInfo_t c{};
  c.flags = 5;
  c.utilization[1] = {1, 40, 90, 10};
  GpuDynamicPstatesInfo info;
  from_c(c, info);
  EXPECT_FALSE(info[UtilizationDomain::gpu]);
  ASSERT_TRUE(info[UtilizationDomain::fb]);
  EXPECT_EQ(info[UtilizationDomain::fb]->utilization, Percent{40});
  EXPECT_EQ(info[UtilizationDomain::fb]->decrease_threshold, Percent{10});
  abi::nvmlGpuDynamicPstatesInfo_t back;
  to_c(info, back);
  EXPECT_TRUE(same_bytes(c, back));
}

TEST(ValuesHand, PowerProfilesAreASetOf256) {
  const PowerProfiles set{PowerProfileType::max_p, PowerProfileType::low_priority_background,
                          static_cast<PowerProfileType>(200)};
  abi::nvmlMask255_t c{};
  to_c(set, c);
  EXPECT_EQ(c.mask[0], 1U | 1U << 24U);
  EXPECT_EQ(c.mask[6], 1U << 8U);
  PowerProfiles back;
  from_c(c, back);
  EXPECT_EQ(back, set);
  EXPECT_EQ(back.size(), 3U);
  EXPECT_FALSE(back.has(PowerProfileType::hpc));
  back.erase(PowerProfileType::max_p);
  EXPECT_FALSE(back.has(PowerProfileType::max_p));
  back.insert(static_cast<PowerProfileType>(1000));
  EXPECT_EQ(back.size(), 2U);
}

TEST(ValuesHand, AMetricHasAnAnswerOfItsOwn) {
  char name[] = "graphics_util";
  char unit[] = "%";
  abi::nvmlGpmMetric_t c{};
  c.metricId = abi::NVML_GPM_METRIC_GRAPHICS_UTIL;
  c.value = 12.5;
  c.metricInfo = {name, nullptr, unit};
  GpmMetric metric;
  from_c(c, metric);
  EXPECT_EQ(metric.id, GpmMetricId::graphics_util);
  EXPECT_EQ(metric.value.value_or(-1), 12.5);
  EXPECT_EQ(metric.short_name, "graphics_util");
  EXPECT_EQ(metric.long_name, "");
  EXPECT_EQ(metric.unit, "%");

  c.nvmlReturn = abi::NVML_ERROR_NOT_SUPPORTED;
  from_c(c, metric);
  ASSERT_FALSE(metric.value);
  EXPECT_EQ(metric.value.error().code(), static_cast<Return>(abi::NVML_ERROR_NOT_SUPPORTED));
  abi::nvmlGpmMetric_t request{};
  to_c(metric, request);
  EXPECT_EQ(request.metricId, c.metricId);
}

TEST(ValuesHand, PrmDataIsAsLongAsItSays) {
  PrmTlv tlv{3, {1, 2, 3}};
  abi::nvmlPRMTLV_v1_t c;
  to_c(tlv, c);
  EXPECT_EQ(c.dataSize, 3U);
  EXPECT_EQ(c.inData[2], 3);
  EXPECT_EQ(c.inData[3], 0);
  PrmTlv back;
  from_c(c, back);
  EXPECT_EQ(back, tlv);
}

TEST(ValuesHand, FabricHealthAnswersYesNoAndNothing) {
  const FabricHealth health{1U << abi::GPU_FABRIC_HEALTH_MASK_SHIFT_DEGRADED_BW |
                            2U << abi::GPU_FABRIC_HEALTH_MASK_SHIFT_GFM_STATE |
                            5U << abi::GPU_FABRIC_HEALTH_MASK_SHIFT_INCORRECT_CONFIGURATION};
  EXPECT_EQ(health.degraded_bandwidth(), true);
  EXPECT_EQ(health.manager_connected(), false);
  EXPECT_EQ(health.route_recovery(), std::nullopt);
  EXPECT_EQ(health.misconfiguration(), FabricMisconfiguration::insufficient_nvlinks);
}

template <class C>
C registered(unsigned clique) {
  C c{};
  c.state = abi::GPU_FABRIC_STATE_COMPLETED;
  c.cliqueId = clique;
  return c;
}

template <class C>
std::vector<FabricClique> cliques_of(const C& c) {
  FabricInfo info;
  from_c(c, info);
  return info.cliques;
}

TEST(ValuesHand, AFabricHasItsCliquesInEveryLayout) {
  const std::vector<FabricClique> both{{FabricCliqueType::unicast_pointer, 9},
                                       {FabricCliqueType::multicast_pointer, 9}};
  EXPECT_EQ(cliques_of(registered<abi::nvmlGpuFabricInfo_t>(9)), both);
  EXPECT_EQ(cliques_of(registered<abi::historic::nvmlGpuFabricInfoV_t_before_13_0_39>(9)), both);
  EXPECT_EQ(cliques_of(registered<abi::nvmlGpuFabricInfo_v3_t>(9)), both);
  abi::nvmlGpuFabricInfo_v4_t newest{};
  newest.numCliques = 2;
  newest.cliques[0] = {0, 9};
  newest.cliques[1] = {1, 9};
  EXPECT_EQ(cliques_of(newest), both);
  abi::nvmlGpuFabricInfo_t waiting{};
  waiting.state = abi::GPU_FABRIC_STATE_IN_PROGRESS;
  EXPECT_TRUE(cliques_of(waiting).empty()) << "its 0 is no clique yet";
}

TEST(ValuesHand, AControllersDataIsOfItsType) {
  PerfMetricControllerSample sample;
  sample.type = PerfMetricsController::pfpp_1x;
  PerfMetricsPfpp1xSample data;
  data.estimated_metrics.valid = true;
  data.estimated_metrics.total_power_headroom = Milliwatts{77};
  sample.data = data;
  abi::nvmlPerfMetricControllerSample_t c;
  to_c(sample, c);
  EXPECT_EQ(c.data.pfpp1x.estimatedMetrics.tgpHeadroommW, 77U);
  PerfMetricControllerSample back;
  from_c(c, back);
  EXPECT_EQ(back, sample);

  sample = {PerfMetricsController::dlppc_2x, PerfMetricsDlppc2xSample{}};
  to_c(sample, c);
  from_c(c, back);
  EXPECT_EQ(back, sample);
  c.controllerType = 9;
  from_c(c, back);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(back.data));
}

template <class C, class T>
void there_and_back(const T& value) {
  C c;
  std::memset(&c, 0xA5, sizeof c);
  to_c(value, c);
  T back;
  from_c(c, back);
  EXPECT_EQ(back, value) << sizeof(C);
  if constexpr (requires { c.version; }) {
    EXPECT_EQ(c.version, abi::version_of<C>);
  }
}

TEST(ValuesHand, ASchedulersStateInEachLayout) {
  VgpuSchedulerState state{std::nullopt, VgpuSchedulerPolicy::equal_share, VgpuSchedulerArrMode::enable, 33, 2000ns};
  there_and_back<abi::nvmlVgpuSchedulerGetState_t>(state);
  state.engine = VgpuSchedulerEngine::graphics;
  there_and_back<abi::nvmlVgpuSchedulerStateInfo_v1_t>(state);
  VgpuSchedulerState plain{VgpuSchedulerEngine::graphics, VgpuSchedulerPolicy::best_effort,
                           VgpuSchedulerArrMode::disable, std::nullopt, 3000ns};
  there_and_back<abi::nvmlVgpuSchedulerStateInfo_v1_t>(plain);
  state.arr_mode.reset();
  there_and_back<abi::nvmlVgpuSchedulerStateInfo_v2_t>(state);
}

TEST(ValuesHand, ASchedulersLogInEachLayout) {
  VgpuSchedulerLog log;
  log.state = {VgpuSchedulerEngine::graphics, VgpuSchedulerPolicy::fixed_share, VgpuSchedulerArrMode::default_,
               std::nullopt, 500ns};
  log.entries.push_back({1ns, 2ns, 3ns, 4, 5ns, 6ns, std::nullopt});
  there_and_back<abi::nvmlVgpuSchedulerLog_t>(log);
  there_and_back<abi::nvmlVgpuSchedulerLogInfo_v1_t>(log);
  log.state = {VgpuSchedulerEngine::graphics, VgpuSchedulerPolicy::fixed_share, std::nullopt, 8, 500ns};
  log.entries.front().weight = 7;
  there_and_back<abi::nvmlVgpuSchedulerLogInfo_v2_t>(log);
}

TEST(ValuesHand, ASchedulersSettingsInEachLayout) {
  VgpuSchedulerSettings settings{
      std::nullopt, VgpuSchedulerPolicy::best_effort, VgpuSchedulerArrMode::enable, 4, 90, {}};
  there_and_back<abi::nvmlVgpuSchedulerSetState_t>(settings);
  settings = {
      VgpuSchedulerEngine::graphics, VgpuSchedulerPolicy::equal_share, VgpuSchedulerArrMode::disable, {}, {}, 7ns};
  there_and_back<abi::nvmlVgpuSchedulerState_v1_t>(settings);
  settings = {VgpuSchedulerEngine::graphics, VgpuSchedulerPolicy::equal_share, {}, 4, 90, {}};
  there_and_back<abi::nvmlVgpuSchedulerState_v2_t>(settings);
}

TEST(ValuesHand, MetadataHasItsBytesBehindIt) {
  VgpuMetadata vgpu{2, 3, VgpuGuestInfoState::initialized, "550.54", "550.90", 1, 12, {}};
  for (unsigned i = 0; i < 300; ++i)
    vgpu.opaque_data.push_back(static_cast<std::uint8_t>(i));
  const auto bytes = detail::to_c(vgpu);
  EXPECT_EQ(bytes.size(), offsetof(abi::nvmlVgpuMetadata_t, opaqueData) + 300);
  VgpuMetadata back;
  EXPECT_TRUE(detail::from_c(bytes, back));
  EXPECT_EQ(back, vgpu);
  EXPECT_FALSE(detail::from_c(std::span(bytes).first(bytes.size() - 1), back));
  EXPECT_FALSE(detail::from_c(std::span(bytes).first(8), back));

  const VgpuPgpuMetadata pgpu{2, 3, "550.90", 1, {5, 9}, {1}};
  VgpuPgpuMetadata other;
  EXPECT_TRUE(detail::from_c(detail::to_c(pgpu), other));
  EXPECT_EQ(other, pgpu);
}

}  // namespace
}  // namespace nvml
