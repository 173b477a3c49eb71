// SPDX-License-Identifier: Apache-2.0
// Gives a board and a node a value in every setting, so that no setter answers NOT_SUPPORTED.
#pragma once

#include <string>

#include "engine/state/generated/state.hpp"
#include "engine/topics/vgpu/vgpu_scheduler.hpp"

namespace nvmlab::driver_test {

inline void equip(Gpu& gpu) {
  Clocks& clocks = gpu.clocks;
  clocks.default_application_memory_mhz = clocks.supported[0].memory_mhz;
  clocks.default_application_graphics_mhz.set(clocks.supported[0].graphics_mhz[0]);
  clocks.application_memory_mhz = clocks.default_application_memory_mhz;
  clocks.application_graphics_mhz.set(clocks.supported[0].graphics_mhz[1]);
  clocks.pstates[1].memory_offset_mhz.set(0);
  clocks.pstates[1].memory_offset_min_mhz.set(-50);
  clocks.pstates[1].memory_offset_max_mhz.set(50);
  clocks.locked_graphics_min_mhz.set(600);
  clocks.locked_graphics_max_mhz.set(900);
  clocks.locked_memory_min_mhz.set(clocks.memory_mhz.value);
  clocks.locked_memory_max_mhz.set(clocks.memory_mhz.value);
  gpu.power.module_limit_mw.set(900'000);
  gpu.power.module_default_limit_mw.set(1'000'000);
  gpu.power.module_min_limit_mw.set(500'000);
  gpu.power.module_max_limit_mw.set(1'200'000);
  gpu.power.module_enforced_limit_mw.set(800'000);
  gpu.power.enforced_limit_mw.set(gpu.power.limit_mw.value - 1000);  // something else holds it
  auto& list = gpu.nvlink.links;
  list[1].counters.count = 2;
  for (Nvlink::Counter& counter : list[1].counters) {
    counter.units.set(1);
    counter.packet_filter.set(255);
    counter.frozen.set(0);
  }
  gpu.nvlink.bandwidth_mode.set(1);
  gpu.nvlink.bandwidth_modes.count = 3;
  for (std::uint32_t i = 0; i < 3; ++i)
    gpu.nvlink.bandwidth_modes.items[i] = i;
  gpu.nvlink.encryption_ready.set(0);
  gpu.memory.limits_supported.set(1);
  gpu.memory.limits.count = 1;
  gpu.memory.limits[0].cgroup.set("/", 1);
  gpu.memory.limits[0].soft_bytes.set(1 << 20);
  gpu.memory.limits[0].hard_bytes.set(1 << 30);
  gpu.memory.limits[0].used_bytes.set(0);
  gpu.modes.virtualization.set(3);
  gpu.modes.host_vgpu.set(1);
  gpu.modes.vgpu_heterogeneous.set(0);
  gpu.modes.accounting.set(0);
  gpu.gpm.streaming.set(0);
}

// `setting` is the path of the one that is tried.
inline void equip(Node& node, const std::string& setting) {
  node.confcompute.feature.set(1);
  node.confcompute.ready.set(0);
  node.confcompute.ready_withdrawn.set(0);
  node.confcompute.key_rotation_attacker_advantage.set(60);
  node.system.nvlink_bandwidth_mode.set(0);
  node.unit.boxes.count = 2;
  for (Unit::Box& box : node.unit.boxes)
    box.led_color.set(0);
  node.vgpu.schedulers.count = 1;
  node.vgpu.schedulers[0].gpu.set(0);
  node.vgpu.schedulers[0].policy.set(kEqualShare);
  node.vgpu.schedulers[0].adaptive.set(setting.ends_with("timeslice_ns") ? kAdaptiveOff : kAdaptiveOn);
  node.vgpu.schedulers[0].average_factor.set(33);
  node.vgpu.schedulers[0].timeslice_ns.set(2'000'000);
  node.vgpu.lowest_version.set(0x190001);
  node.vgpu.highest_version.set(0x1A0001);
  node.vgpu.unfollowed.set(0);
  // Nothing of vGPUs can be set while one runs, except its own settings.
  node.vgpu.instances.count = setting.starts_with("vgpu.instances") ? 1 : 0;
  node.vgpu.instances[0].id.set(7);
  node.vgpu.instances[0].gpu.set(1);
  node.vgpu.instances[0].encoder_capacity.set(100);
}

}  // namespace nvmlab::driver_test
