// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/vgpu/vgpu_scheduler.hpp"

#include "engine/topics/vgpu/vgpu_host.hpp"

namespace nvmlab {

VgpuSchedule vgpu_schedule(const Store& store, std::uint32_t gpu) {
  return consistent(store.node, [gpu](const Node& node) {
    VgpuSchedule schedule;
    const Vgpu& host = node.vgpu;
    for (std::uint32_t i = 0; i < length_of(host.schedulers); ++i) {
      const auto& row = host.schedulers.items[i];
      if (load(row.gpu).value_or(~0U) != gpu) continue;
      schedule.policy = load(row.policy).value_or(schedule.policy);
      schedule.adaptive = load(row.adaptive).value_or(schedule.adaptive);
      schedule.average_factor = load(row.average_factor).value_or(schedule.average_factor);
      schedule.turn_ns = load(row.timeslice_ns).value_or(schedule.turn_ns);
    }
    for (std::uint32_t i = 0; i < length_of(host.instances); ++i)
      schedule.vgpus += load(host.instances.items[i].gpu).value_or(~0U) == gpu ? 1 : 0;
    return schedule;
  });
}

VgpuTurn vgpu_turn(const VgpuSchedule& schedule, std::uint64_t since_ns, std::uint64_t now_ns, std::uint32_t back) {
  const std::uint64_t length = schedule.turn_ns != 0 ? schedule.turn_ns : kShortestTurnNs;
  const std::uint64_t vgpus = schedule.vgpus != 0 ? schedule.vgpus : 1;
  const std::uint64_t turns = now_ns > since_ns ? (now_ns - since_ns) / length : 0;
  const std::uint64_t turn = turns > back ? turns - back : 0;
  const std::uint64_t rounds = turn / vgpus;
  return {.at_ns = since_ns + turn * length,
          .run_total_ns = rounds * length,
          .run_ns = length,
          .vgpu = static_cast<std::uint32_t>(turn % vgpus),
          .target_ns = length,
          .preempt_total_ns = 0};
}

}  // namespace nvmlab
