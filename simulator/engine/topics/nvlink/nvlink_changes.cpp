// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/nvlink/nvlink_changes.hpp"

#include "engine/topics/generated/field_rules.hpp"
#include "engine/topics/generated/resets.hpp"

namespace nvmlab {
namespace {

constexpr std::uint32_t kCountersOfLink = decltype(Nvlink::Link::counters)::capacity;

// Whether the link counts what is asked for.
Code check_counter(const Nvlink& nvlink, std::uint32_t link, std::uint32_t counter) {
  if (link >= nvlink.links.size()) return kNotSupported;
  if (counter >= kCountersOfLink) return kInvalidArgument;
  return counter < nvlink.links[link].counters.size() ? kSuccess : kNotSupported;
}

bool has_mode(const Nvlink& nvlink, std::uint32_t mode) {
  for (const std::uint32_t each : nvlink.bandwidth_modes) {
    if (each == mode) return true;
  }
  return false;
}

}  // namespace

Code rules::check_nvlink_bandwidth(GpuEdit& gpu, std::uint32_t, const Written&) {
  const Nvlink& nvlink = gpu.view(&Gpu::nvlink);
  return !nvlink.bandwidth_mode.has_value() || has_mode(nvlink, nvlink.bandwidth_mode.value) ? kSuccess
                                                                                             : kInvalidArgument;
}

Code make(const SetNvlinkBandwidthMode& change, GpuEdit& gpu) {
  const Nvlink& nvlink = gpu.edit(&Gpu::nvlink);
  const std::uint32_t best = nvlink.bandwidth_mode_best.value_or(nvlink.bandwidth_mode.value);
  return write_setting(gpu, nvlink.bandwidth_mode, change.best != 0 ? best : change.mode);
}

Code make(const SetNvlinkLowPowerThreshold& change, GpuEdit& gpu) {
  const Nvlink& nvlink = gpu.edit(&Gpu::nvlink);
  const std::uint32_t shipped = nvlink.low_power_threshold_default.value_or(nvlink.low_power_threshold.value);
  return write_setting(gpu, nvlink.low_power_threshold,
                       change.threshold == kShippedThreshold ? shipped : change.threshold);
}

Code make(const SetNvlinkEncryptionReady& change, GpuEdit& gpu) {
  return write_setting(gpu, gpu.edit(&Gpu::nvlink).encryption_ready, change.ready != 0 ? 1 : 0);
}

Code make(const ClearNvlinkErrors& change, GpuEdit& gpu) {
  if (change.link >= gpu.view(&Gpu::nvlink).links.size()) return kNotSupported;
  clear_nvlink_errors(gpu.edit(&Gpu::nvlink).links[change.link]);
  return kSuccess;
}

Code make(const SetNvlinkCounter& change, GpuEdit& gpu) {
  if (const Code code = check_counter(gpu.view(&Gpu::nvlink), change.link, change.counter); code != kSuccess)
    return code;
  Nvlink::Counter& counter = gpu.edit(&Gpu::nvlink).links[change.link].counters[change.counter];
  counter.units.set(change.units);
  counter.packet_filter.set(change.packet_filter);
  if (const Code code = follow_fields(gpu, {&counter.units, &counter.packet_filter}); code != kSuccess) return code;
  if (change.clear_too != 0) clear_nvlink_utilization(counter);
  return kSuccess;
}

Code make(const FreezeNvlinkCounter& change, GpuEdit& gpu) {
  if (const Code code = check_counter(gpu.view(&Gpu::nvlink), change.link, change.counter); code != kSuccess)
    return code;
  Fact<std::uint32_t>& frozen = gpu.edit(&Gpu::nvlink).links[change.link].counters[change.counter].frozen;
  frozen.set(change.frozen);
  return follow_fields(gpu, {&frozen});
}

Code make(const ClearNvlinkCounter& change, GpuEdit& gpu) {
  if (const Code code = check_counter(gpu.view(&Gpu::nvlink), change.link, change.counter); code != kSuccess)
    return code;
  clear_nvlink_utilization(gpu.edit(&Gpu::nvlink).links[change.link].counters[change.counter]);
  return kSuccess;
}

}  // namespace nvmlab
