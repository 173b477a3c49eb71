// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "engine/topics/generated/field_rules.hpp"
#include "engine/topics/vgpu/vgpu_changes.hpp"
#include "engine/topics/vgpu/vgpu_host.hpp"
#include "engine/topics/vgpu/vgpu_scheduler.hpp"

namespace nvmlab {
namespace {

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

// The policy of a GPU stays while vGPUs run on it.
Code rules::check_vgpu_schedule(NodeEdit& node, std::uint32_t item, const Written&) {
  const Vgpu& host = node.view(&Node::vgpu);
  for (const Vgpu::Instance& each : host.instances)
    if (each.gpu.value_or(~0U) == host.schedulers[item].gpu.value_or(~0U)) return kInUse;
  return kSuccess;
}

Code make(const SetVgpuScheduler& change, VgpuEdit& host) {
  if (change.gpu >= host.store.header.gpu_count) return kInvalidArgument;
  if (!hosts_vgpus(host.store, change.gpu)) return kNotSupported;
  if (change.frequency_hz != 0 &&
      (change.frequency_hz < kLowestFrequencyHz || change.frequency_hz > kHighestFrequencyHz))
    return kInvalidArgument;
  Vgpu::Scheduler* const row = row_for(host.edit(), change.gpu);
  if (row == nullptr) return kInsufficientResources;
  row->policy.set(change.policy);
  row->adaptive.set(change.adaptive);
  row->average_factor.set(change.average_factor != 0 ? change.average_factor : VgpuSchedule{}.average_factor);
  row->timeslice_ns.set(turn_of(change));
  return follow_fields(host.node, {&row->policy, &row->adaptive, &row->average_factor, &row->timeslice_ns});
}

}  // namespace nvmlab
