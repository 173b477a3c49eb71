// SPDX-License-Identifier: Apache-2.0
//
// How vGPUs take turns on a GPU, in both generations of NVML's structs, and what a host can do at all.
// Tests: tests/drivers/functions/vgpu_host_test.cpp.
#include "engine/topics/vgpu/vgpu_scheduler.hpp"
#include "drivers/nvml/hooks/vgpu.hpp"
#include "engine/store/machine_clock.hpp"

namespace nvmlab::driver {
namespace {

// Adaptive round robin is on where somebody switched it on; by default only a policy of shares has it.
bool adapts(const VgpuSchedule& schedule) {
  if (schedule.adaptive == kAdaptiveDefault) return schedule.policy != kBestEffort;
  return schedule.adaptive == kAdaptiveOn;
}

void put_parameters(const VgpuSchedule& schedule, nvmlVgpuSchedulerParams_t& to) {
  to = {};
  if (schedule.vgpus == 0) return;
  if (adapts(schedule)) {
    to.vgpuSchedDataWithARR.avgFactor = schedule.average_factor;
    to.vgpuSchedDataWithARR.timeslice = schedule.turn_ns;
  } else {
    to.vgpuSchedData.timeslice = schedule.turn_ns;
  }
}

bool is_engine(std::uint32_t engine) {
  return engine >= VGPU_SCHEDULER_ENGINE_TYPE_GRAPHICS && engine <= VGPU_SCHEDULER_ENGINE_TYPE_NVENC0;
}

// Engines for video share no time by policy.
VgpuSchedule schedule_of(const Device& gpu, std::uint32_t engine) {
  VgpuSchedule schedule = vgpu_schedule(gpu.store, gpu.index);
  if (engine != VGPU_SCHEDULER_ENGINE_TYPE_GRAPHICS) schedule = {};
  return schedule;
}

template <class Entry>
void put_turn(const VgpuTurn& turn, Entry& to) {
  to = {};
  to.timestamp = turn.at_ns;
  to.timeRunTotal = turn.run_total_ns;
  to.timeRun = turn.run_ns;
  to.swRunlistId = turn.vgpu;
  to.targetTimeSlice = turn.target_ns;
  to.cumulativePreemptionTime = turn.preempt_total_ns;
}

// The turns that are kept, oldest first.
template <class Log>
void put_turns(const Device& gpu, const VgpuSchedule& schedule, Log& log) {
  log.entriesCount = 0;
  if (schedule.vgpus == 0 || schedule.policy == kBestEffort) return;
  const std::uint64_t now = machine_time_ns(gpu.store.clock);
  const std::uint64_t since = gpu.store.header.created_ns;
  const std::uint64_t turns = schedule.turn_ns != 0 && now > since ? (now - since) / schedule.turn_ns : 0;
  const auto count =
      static_cast<std::uint32_t>(turns < SCHEDULER_SW_MAX_LOG_ENTRIES ? turns : SCHEDULER_SW_MAX_LOG_ENTRIES);
  for (std::uint32_t i = 0; i < count; ++i)
    put_turn(vgpu_turn(schedule, since, now, count - 1 - i), log.logEntries[i]);
  log.entriesCount = count;
}

std::uint32_t yes(bool condition) { return condition ? 1 : 0; }

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetVgpuSchedulerState(const Device& gpu, nvmlVgpuSchedulerGetState_t* pSchedulerState) {
  if (!hosts_vgpus(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const VgpuSchedule schedule = vgpu_schedule(gpu.store, gpu.index);
  pSchedulerState->schedulerPolicy = schedule.policy;
  pSchedulerState->arrMode = schedule.adaptive;
  put_parameters(schedule, pSchedulerState->schedulerParams);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetVgpuSchedulerState_v2(const Device& gpu,
                                                nvmlVgpuSchedulerStateInfo_v2_t* pSchedulerStateInfo) {
  if (!hosts_vgpus(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  if (!is_engine(pSchedulerStateInfo->engineId)) return NVML_ERROR_INVALID_ARGUMENT;
  const VgpuSchedule schedule = schedule_of(gpu, pSchedulerStateInfo->engineId);
  pSchedulerStateInfo->schedulerPolicy = schedule.policy;
  pSchedulerStateInfo->avgFactor = schedule.vgpus != 0 && adapts(schedule) ? schedule.average_factor : 0;
  pSchedulerStateInfo->timeslice = schedule.vgpus != 0 ? schedule.turn_ns : 0;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceSetVgpuSchedulerState(const Device& gpu, nvmlVgpuSchedulerSetState_t* pSchedulerState) {
  const auto& parameters = pSchedulerState->schedulerParams;
  SetVgpuScheduler change{gpu.index, pSchedulerState->schedulerPolicy, pSchedulerState->enableARRMode, 0, 0, 0};
  if (change.adaptive == kAdaptiveOff) {
    change.timeslice_ns = parameters.vgpuSchedData.timeslice;
  } else {
    change.average_factor = parameters.vgpuSchedDataWithARR.avgFactor;
    change.frequency_hz = parameters.vgpuSchedDataWithARR.frequency;
  }
  return apply_change(gpu.store, make_change(MachinePart::vgpus, change));
}

nvmlReturn_t nvmlDeviceSetVgpuSchedulerState_v2(const Device& gpu, nvmlVgpuSchedulerState_v2_t* pSchedulerState) {
  if (!hosts_vgpus(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  if (!is_engine(pSchedulerState->engineId)) return NVML_ERROR_INVALID_ARGUMENT;
  if (pSchedulerState->engineId != VGPU_SCHEDULER_ENGINE_TYPE_GRAPHICS) return NVML_ERROR_NOT_SUPPORTED;
  const SetVgpuScheduler change{gpu.index,
                                pSchedulerState->schedulerPolicy,
                                kAdaptiveDefault,
                                pSchedulerState->avgFactor,
                                pSchedulerState->frequency,
                                0};
  return apply_change(gpu.store, make_change(MachinePart::vgpus, change));
}

nvmlReturn_t nvmlDeviceGetVgpuSchedulerLog(const Device& gpu, nvmlVgpuSchedulerLog_t* pSchedulerLog) {
  if (!hosts_vgpus(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const VgpuSchedule schedule = vgpu_schedule(gpu.store, gpu.index);
  pSchedulerLog->engineId = VGPU_SCHEDULER_ENGINE_TYPE_GRAPHICS;
  pSchedulerLog->schedulerPolicy = schedule.policy;
  pSchedulerLog->arrMode = schedule.adaptive;
  put_parameters(schedule, pSchedulerLog->schedulerParams);
  put_turns(gpu, schedule, *pSchedulerLog);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetVgpuSchedulerLog_v2(const Device& gpu, nvmlVgpuSchedulerLogInfo_v2_t* pSchedulerLogInfo) {
  if (!hosts_vgpus(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  if (!is_engine(pSchedulerLogInfo->engineId)) return NVML_ERROR_INVALID_ARGUMENT;
  const VgpuSchedule schedule = schedule_of(gpu, pSchedulerLogInfo->engineId);
  pSchedulerLogInfo->schedulerPolicy = schedule.policy;
  pSchedulerLogInfo->avgFactor = schedule.vgpus != 0 && adapts(schedule) ? schedule.average_factor : 0;
  pSchedulerLogInfo->timeslice = schedule.vgpus != 0 ? schedule.turn_ns : 0;
  put_turns(gpu, schedule, *pSchedulerLogInfo);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetVgpuSchedulerCapabilities(const Device& gpu, nvmlVgpuSchedulerCapabilities_t* pCapabilities) {
  if (!hosts_vgpus(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  static_assert(SUPPORTED_VGPU_SCHEDULER_POLICY_COUNT == 3);
  *pCapabilities = {{kBestEffort, kEqualShare, kFixedShare},
                    kLongestTurnNs,
                    kShortestTurnNs,
                    1,
                    kHighestFrequencyHz,
                    kLowestFrequencyHz,
                    kLargestAverage,
                    kSmallestAverage};
  return NVML_SUCCESS;
}

// How fast vGPUs migrate, nobody has told; that they can be told of is a matter of hardware alone.
nvmlReturn_t nvmlDeviceGetVgpuCapabilities(const Device& gpu, nvmlDeviceVgpuCapability_t capability,
                                           unsigned int* capResult) {
  if (!hosts_vgpus(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const bool sriov = VgpuTypes(gpu.store, gpu.index).sriov();
  switch (capability) {
    case NVML_DEVICE_VGPU_CAP_FRACTIONAL_MULTI_VGPU:
    case NVML_DEVICE_VGPU_CAP_HETEROGENEOUS_TIMESLICE_SIZES:
    case NVML_DEVICE_VGPU_CAP_HOMOGENEOUS_PLACEMENTS:
      *capResult = yes(sriov);
      return NVML_SUCCESS;
    case NVML_DEVICE_VGPU_CAP_HETEROGENEOUS_TIMESLICE_PROFILES:
      *capResult = 1;
      return NVML_SUCCESS;
    case NVML_DEVICE_VGPU_CAP_DEVICE_STREAMING:
    case NVML_DEVICE_VGPU_CAP_MINI_QUARTER_GPU:
    case NVML_DEVICE_VGPU_CAP_COMPUTE_MEDIA_ENGINE_GPU:
    case NVML_DEVICE_VGPU_CAP_WARM_UPDATE:
    case NVML_DEVICE_VGPU_CAP_MIG_TIMESLICING_SUPPORTED:
    case NVML_DEVICE_VGPU_CAP_MIG_TIMESLICING_ENABLED:
    case NVML_DEVICE_VGPU_CAP_UVM_STUN:
      *capResult = 0;
      return NVML_SUCCESS;
    case NVML_DEVICE_VGPU_CAP_READ_DEVICE_BUFFER_BW:
    case NVML_DEVICE_VGPU_CAP_WRITE_DEVICE_BUFFER_BW:
      return NVML_ERROR_NOT_SUPPORTED;
    default:
      return NVML_ERROR_INVALID_ARGUMENT;
  }
}

}  // namespace hooks
}  // namespace nvmlab::driver
