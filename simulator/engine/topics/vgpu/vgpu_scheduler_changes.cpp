// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "engine/topics/vgpu/vgpu_changes.hpp"
#include "engine/topics/vgpu/vgpu_host.hpp"
#include "engine/topics/vgpu/vgpu_scheduler.hpp"

namespace nvmlab {
namespace {

bool outside(std::uint32_t value, std::uint32_t least, std::uint32_t most) {
  return value != 0 && (value < least || value > most);
}

std::uint32_t turn_of(const SetVgpuScheduler& change) {
  const VgpuSchedule standard;
  if (change.adaptive != kAdaptiveOff && change.frequency_hz != 0) return 1'000'000'000 / change.frequency_hz;
  return change.adaptive == kAdaptiveOff && change.timeslice_ns != 0 ? change.timeslice_ns : standard.turn_ns;
}

Vgpu::Scheduler* row_for(Vgpu& host, std::uint32_t gpu) {
  for (Vgpu::Scheduler& each : host.schedulers) {
    if (each.gpu.value_or(~0U) == gpu) return &each;
  }
  if (host.schedulers.size() == host.schedulers.capacity) return nullptr;
  Vgpu::Scheduler& row = host.schedulers[host.schedulers.count++];
  std::memset(&row, 0, sizeof row);
  row.gpu.set(gpu);
  return &row;
}

}  // namespace

Code make(const SetVgpuScheduler& change, VgpuEdit& host) {
  if (change.gpu >= host.store.header.gpu_count) return kInvalidArgument;
  if (!hosts_vgpus(host.store, change.gpu)) return kNotSupported;
  const bool wrong = change.policy < kBestEffort || change.policy > kFixedShare || change.adaptive > kAdaptiveOn ||
                     outside(change.average_factor, kSmallestAverage, kLargestAverage) ||
                     outside(change.frequency_hz, kLowestFrequencyHz, kHighestFrequencyHz) ||
                     outside(change.timeslice_ns, kShortestTurnNs, kLongestTurnNs);
  if (wrong) return kInvalidArgument;
  if (vgpu_schedule(host.store, change.gpu).vgpus > 0) return kInUse;
  Vgpu::Scheduler* const row = row_for(host.edit(), change.gpu);
  if (row == nullptr) return kInsufficientResources;
  row->policy.set(change.policy);
  row->adaptive.set(change.adaptive);
  row->average_factor.set(change.average_factor != 0 ? change.average_factor : VgpuSchedule{}.average_factor);
  row->timeslice_ns.set(turn_of(change));
  return kSuccess;
}

}  // namespace nvmlab
