// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/values/vgpu_scheduler.hpp"

#include <type_traits>

#include "nvmlab/abi/generated/struct_versions.hpp"
#include "nvmlab/nvml/convert.hpp"
#include "nvmlab/nvml/generated/convert_vgpu_parts.hpp"

namespace nvml::abi {
namespace {

template <class C>
constexpr bool has_engine = requires(C c) {
  c.engineId;
};
template <class C>
constexpr bool has_union = requires(C c) {
  c.schedulerParams;
};

template <class C>
void head_from_c(const C& c, auto& value) {
  value = {};
  value.policy = static_cast<VgpuSchedulerPolicy>(c.schedulerPolicy);
  if constexpr (has_engine<C>) value.engine = static_cast<VgpuSchedulerEngine>(c.engineId);
}

template <class C>
void head_to_c(const auto& value, C& c) {
  c = {};
  c.schedulerPolicy = static_cast<unsigned>(value.policy);
  if constexpr (has_engine<C>) c.engineId = static_cast<unsigned>(value.engine.value_or(VgpuSchedulerEngine{}));
  if constexpr (requires { c.version; }) c.version = version_of<C>;
}

bool adaptive(unsigned arr_mode) { return arr_mode == VGPU_SCHEDULER_ARR_ENABLE; }

template <class C>
void state_from_c(const C& c, VgpuSchedulerState& value) {
  head_from_c(c, value);
  unsigned timeslice = 0;
  if constexpr (has_union<C>) {
    value.arr_mode = static_cast<VgpuSchedulerArrMode>(c.arrMode);
    timeslice = c.schedulerParams.vgpuSchedData.timeslice;
    if (adaptive(c.arrMode)) {
      value.average_factor = c.schedulerParams.vgpuSchedDataWithARR.avgFactor;
      timeslice = c.schedulerParams.vgpuSchedDataWithARR.timeslice;
    }
  } else {
    value.average_factor = c.avgFactor;
    timeslice = c.timeslice;
  }
  value.timeslice = std::chrono::nanoseconds{timeslice};
}

template <class C>
void state_to_c(const VgpuSchedulerState& value, C& c) {
  head_to_c(value, c);
  const auto timeslice = static_cast<unsigned>(value.timeslice.count());
  const unsigned factor = value.average_factor.value_or(0);
  if constexpr (has_union<C>) {
    c.arrMode = static_cast<unsigned>(value.arr_mode.value_or(VgpuSchedulerArrMode{}));
    if (adaptive(c.arrMode)) {
      c.schedulerParams.vgpuSchedDataWithARR = {factor, timeslice};
    } else {
      c.schedulerParams.vgpuSchedData = {timeslice};
    }
  } else {
    c.avgFactor = factor;
    c.timeslice = timeslice;
  }
}

template <class C>
void log_from_c(const C& c, VgpuSchedulerLog& value) {
  state_from_c(c, value.state);
  nvml::detail::from_c_counted(c.logEntries, c.entriesCount, value.entries);
}

template <class C>
void log_to_c(const VgpuSchedulerLog& value, C& c) {
  state_to_c(value.state, c);
  nvml::detail::to_c_counted(value.entries, c.logEntries, c.entriesCount);
}

template <class C>
void settings_from_c(const C& c, VgpuSchedulerSettings& value) {
  head_from_c(c, value);
  if constexpr (has_union<C>) {
    value.arr_mode = static_cast<VgpuSchedulerArrMode>(c.enableARRMode);
    if (adaptive(c.enableARRMode)) {
      value.average_factor = c.schedulerParams.vgpuSchedDataWithARR.avgFactor;
      value.frequency = c.schedulerParams.vgpuSchedDataWithARR.frequency;
    } else {
      value.timeslice = std::chrono::nanoseconds{c.schedulerParams.vgpuSchedData.timeslice};
    }
  } else {
    value.average_factor = c.avgFactor;
    value.frequency = c.frequency;
  }
}

template <class C>
void settings_to_c(const VgpuSchedulerSettings& value, C& c) {
  head_to_c(value, c);
  const unsigned factor = value.average_factor.value_or(0);
  const unsigned frequency = value.frequency.value_or(0);
  if constexpr (has_union<C>) {
    c.enableARRMode = static_cast<unsigned>(value.arr_mode.value_or(VgpuSchedulerArrMode{}));
    if (adaptive(c.enableARRMode)) {
      c.schedulerParams.vgpuSchedDataWithARR = {factor, frequency};
    } else {
      c.schedulerParams.vgpuSchedData = {
          static_cast<unsigned>(value.timeslice.value_or(std::chrono::nanoseconds{}).count())};
    }
  } else {
    c.avgFactor = factor;
    c.frequency = frequency;
  }
}

}  // namespace

void from_c(const nvmlVgpuSchedulerGetState_t& c, VgpuSchedulerState& value) { state_from_c(c, value); }
void to_c(const VgpuSchedulerState& value, nvmlVgpuSchedulerGetState_t& c) { state_to_c(value, c); }
void from_c(const nvmlVgpuSchedulerStateInfo_v1_t& c, VgpuSchedulerState& value) { state_from_c(c, value); }
void to_c(const VgpuSchedulerState& value, nvmlVgpuSchedulerStateInfo_v1_t& c) { state_to_c(value, c); }
void from_c(const nvmlVgpuSchedulerStateInfo_v2_t& c, VgpuSchedulerState& value) { state_from_c(c, value); }
void to_c(const VgpuSchedulerState& value, nvmlVgpuSchedulerStateInfo_v2_t& c) { state_to_c(value, c); }
void from_c(const nvmlVgpuSchedulerLog_t& c, VgpuSchedulerLog& value) { log_from_c(c, value); }
void to_c(const VgpuSchedulerLog& value, nvmlVgpuSchedulerLog_t& c) { log_to_c(value, c); }
void from_c(const nvmlVgpuSchedulerLogInfo_v1_t& c, VgpuSchedulerLog& value) { log_from_c(c, value); }
void to_c(const VgpuSchedulerLog& value, nvmlVgpuSchedulerLogInfo_v1_t& c) { log_to_c(value, c); }
void from_c(const nvmlVgpuSchedulerLogInfo_v2_t& c, VgpuSchedulerLog& value) { log_from_c(c, value); }
void to_c(const VgpuSchedulerLog& value, nvmlVgpuSchedulerLogInfo_v2_t& c) { log_to_c(value, c); }
void from_c(const nvmlVgpuSchedulerSetState_t& c, VgpuSchedulerSettings& value) { settings_from_c(c, value); }
void to_c(const VgpuSchedulerSettings& value, nvmlVgpuSchedulerSetState_t& c) { settings_to_c(value, c); }
void from_c(const nvmlVgpuSchedulerState_v1_t& c, VgpuSchedulerSettings& value) { settings_from_c(c, value); }
void to_c(const VgpuSchedulerSettings& value, nvmlVgpuSchedulerState_v1_t& c) { settings_to_c(value, c); }
void from_c(const nvmlVgpuSchedulerState_v2_t& c, VgpuSchedulerSettings& value) { settings_from_c(c, value); }
void to_c(const VgpuSchedulerSettings& value, nvmlVgpuSchedulerState_v2_t& c) { settings_to_c(value, c); }

}  // namespace nvml::abi
