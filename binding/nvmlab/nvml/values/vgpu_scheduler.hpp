// SPDX-License-Identifier: Apache-2.0
// How vGPUs share an engine: what is so, what happened, and what shall be. Libraries of different ages say it in three
// layouts each. Covered by tests/binding/values_hand_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "nvmlab/loader/lean_std.hpp"
#include "nvmlab/nvml/generated/enums.hpp"
#include "nvmlab/nvml/generated/values_vgpu_parts.hpp"

namespace nvml::abi {
struct nvmlVgpuSchedulerGetState_t;
struct nvmlVgpuSchedulerStateInfo_v1_t;
struct nvmlVgpuSchedulerStateInfo_v2_t;
struct nvmlVgpuSchedulerLog_t;
struct nvmlVgpuSchedulerLogInfo_v1_t;
struct nvmlVgpuSchedulerLogInfo_v2_t;
struct nvmlVgpuSchedulerSetState_t;
struct nvmlVgpuSchedulerState_v1_t;
struct nvmlVgpuSchedulerState_v2_t;
}  // namespace nvml::abi

namespace nvml::inline v1 {

/// How vGPUs share an engine.
/// C: nvmlVgpuSchedulerGetState_t, nvmlVgpuSchedulerStateInfo_v1_t, nvmlVgpuSchedulerStateInfo_v2_t
struct VgpuSchedulerState {
  std::optional<VgpuSchedulerEngine> engine{};     ///< nothing: the oldest layout knows of one
  VgpuSchedulerPolicy policy{};                    ///< best effort, equal share, fixed share
  std::optional<VgpuSchedulerArrMode> arr_mode{};  ///< adaptive round robin; nothing: the newest layout does not tell
  std::optional<unsigned> average_factor{};        ///< of adaptive round robin
  std::chrono::nanoseconds timeslice{};            ///< of a turn
  bool operator==(const VgpuSchedulerState&) const = default;
};

/// The turns that vGPUs had on an engine.
/// C: nvmlVgpuSchedulerLog_t, nvmlVgpuSchedulerLogInfo_v1_t, nvmlVgpuSchedulerLogInfo_v2_t
struct VgpuSchedulerLog {
  VgpuSchedulerState state{};                    ///< what was so then
  std::vector<VgpuSchedulerLogEntry> entries{};  ///< the oldest first
  bool operator==(const VgpuSchedulerLog&) const = default;
};

/// How vGPUs shall share an engine.
/// C: nvmlVgpuSchedulerSetState_t, nvmlVgpuSchedulerState_v1_t, nvmlVgpuSchedulerState_v2_t
struct VgpuSchedulerSettings {
  std::optional<VgpuSchedulerEngine> engine{};          ///< nothing: that of the oldest layout
  VgpuSchedulerPolicy policy{};                         ///< best effort, equal share, fixed share
  std::optional<VgpuSchedulerArrMode> arr_mode{};       ///< adaptive round robin
  std::optional<unsigned> average_factor{};             ///< with adaptive round robin
  std::optional<unsigned> frequency{};                  ///< with adaptive round robin
  std::optional<std::chrono::nanoseconds> timeslice{};  ///< without; the newest layout has none
  bool operator==(const VgpuSchedulerSettings&) const = default;
};

}  // namespace nvml::inline v1

namespace nvml::abi {
void from_c(const nvmlVgpuSchedulerGetState_t& c, VgpuSchedulerState& value);
void to_c(const VgpuSchedulerState& value, nvmlVgpuSchedulerGetState_t& c);
void from_c(const nvmlVgpuSchedulerStateInfo_v1_t& c, VgpuSchedulerState& value);
void to_c(const VgpuSchedulerState& value, nvmlVgpuSchedulerStateInfo_v1_t& c);
void from_c(const nvmlVgpuSchedulerStateInfo_v2_t& c, VgpuSchedulerState& value);
void to_c(const VgpuSchedulerState& value, nvmlVgpuSchedulerStateInfo_v2_t& c);
void from_c(const nvmlVgpuSchedulerLog_t& c, VgpuSchedulerLog& value);
void to_c(const VgpuSchedulerLog& value, nvmlVgpuSchedulerLog_t& c);
void from_c(const nvmlVgpuSchedulerLogInfo_v1_t& c, VgpuSchedulerLog& value);
void to_c(const VgpuSchedulerLog& value, nvmlVgpuSchedulerLogInfo_v1_t& c);
void from_c(const nvmlVgpuSchedulerLogInfo_v2_t& c, VgpuSchedulerLog& value);
void to_c(const VgpuSchedulerLog& value, nvmlVgpuSchedulerLogInfo_v2_t& c);
void from_c(const nvmlVgpuSchedulerSetState_t& c, VgpuSchedulerSettings& value);
void to_c(const VgpuSchedulerSettings& value, nvmlVgpuSchedulerSetState_t& c);
void from_c(const nvmlVgpuSchedulerState_v1_t& c, VgpuSchedulerSettings& value);
void to_c(const VgpuSchedulerSettings& value, nvmlVgpuSchedulerState_v1_t& c);
void from_c(const nvmlVgpuSchedulerState_v2_t& c, VgpuSchedulerSettings& value);
void to_c(const VgpuSchedulerSettings& value, nvmlVgpuSchedulerState_v2_t& c);
}  // namespace nvml::abi
