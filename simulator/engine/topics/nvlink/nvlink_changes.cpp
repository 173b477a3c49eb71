// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/nvlink/nvlink_changes.hpp"

#include "engine/topics/generated/resets.hpp"

namespace nvmlab {
namespace {

constexpr std::uint32_t kCountersOfLink = decltype(Nvlink::Link::counters)::capacity;
constexpr std::uint32_t kReservedUnit = 3;
constexpr std::uint32_t kAllPackets = 0xff;

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

Code make(const SetNvlinkBandwidthMode& change, GpuEdit& gpu) {
  const Nvlink& nvlink = gpu.view(&Gpu::nvlink);
  if (!nvlink.bandwidth_mode.has_value()) return nvlink.bandwidth_mode.code();
  const std::uint32_t wanted =
      change.best != 0 ? nvlink.bandwidth_mode_best.value_or(nvlink.bandwidth_mode.value) : change.mode;
  if (!has_mode(nvlink, wanted)) return kInvalidArgument;
  gpu.edit(&Gpu::nvlink).bandwidth_mode.set(wanted);
  return kSuccess;
}

Code make(const SetNvlinkLowPowerThreshold& change, GpuEdit& gpu) {
  const Nvlink& nvlink = gpu.view(&Gpu::nvlink);
  if (!nvlink.low_power_threshold.has_value()) return nvlink.low_power_threshold.code();
  const std::uint32_t wanted = change.threshold == kShippedThreshold
                                   ? nvlink.low_power_threshold_default.value_or(nvlink.low_power_threshold.value)
                                   : change.threshold;
  if (wanted < nvlink.low_power_threshold_min.value_or(kLowestThreshold) ||
      wanted > nvlink.low_power_threshold_max.value_or(kHighestThreshold))
    return kInvalidArgument;
  gpu.edit(&Gpu::nvlink).low_power_threshold.set(wanted);
  return kSuccess;
}

Code make(const SetNvlinkEncryptionReady& change, GpuEdit& gpu) {
  const Nvlink& nvlink = gpu.view(&Gpu::nvlink);
  if (!nvlink.encryption_ready.has_value()) return nvlink.encryption_ready.code();
  gpu.edit(&Gpu::nvlink).encryption_ready.set(change.ready != 0 ? 1 : 0);
  return kSuccess;
}

Code make(const ClearNvlinkErrors& change, GpuEdit& gpu) {
  if (change.link >= gpu.view(&Gpu::nvlink).links.size()) return kNotSupported;
  clear_nvlink_errors(gpu.edit(&Gpu::nvlink).links[change.link]);
  return kSuccess;
}

Code make(const SetNvlinkCounter& change, GpuEdit& gpu) {
  if (const Code code = check_counter(gpu.view(&Gpu::nvlink), change.link, change.counter); code != kSuccess)
    return code;
  if (change.units >= kReservedUnit || change.packet_filter > kAllPackets) return kInvalidArgument;
  Nvlink::Counter& counter = gpu.edit(&Gpu::nvlink).links[change.link].counters[change.counter];
  counter.units.set(change.units);
  counter.packet_filter.set(change.packet_filter);
  if (change.clear_too != 0) clear_nvlink_utilization(counter);
  return kSuccess;
}

Code make(const FreezeNvlinkCounter& change, GpuEdit& gpu) {
  if (const Code code = check_counter(gpu.view(&Gpu::nvlink), change.link, change.counter); code != kSuccess)
    return code;
  if (change.frozen > 1) return kInvalidArgument;
  gpu.edit(&Gpu::nvlink).links[change.link].counters[change.counter].frozen.set(change.frozen);
  return kSuccess;
}

Code make(const ClearNvlinkCounter& change, GpuEdit& gpu) {
  if (const Code code = check_counter(gpu.view(&Gpu::nvlink), change.link, change.counter); code != kSuccess)
    return code;
  clear_nvlink_utilization(gpu.edit(&Gpu::nvlink).links[change.link].counters[change.counter]);
  return kSuccess;
}

}  // namespace nvmlab
