// SPDX-License-Identifier: Apache-2.0
// A view made by hand: three GPUs, two of them alike.
#pragma once

#include <memory>

#include "control/view.hpp"

namespace nvmlab::tool {

inline control::MachineView sample_view() {
  control::MachineView view;
  view.node = std::make_unique<Node>();
  view.node->system.driver_version.set("550.163.01", 10);
  view.gpu_count = 3;
  for (std::uint32_t i = 0; i < 3; ++i) {
    Gpu gpu{};
    const std::string uuid = "GPU-" + std::to_string(i);
    gpu.identity.uuid.set(uuid.data(), static_cast<std::uint32_t>(uuid.size()));
    gpu.power.limit_mw.set(700'000);
    gpu.power.draw_mw.set(i == 1 ? 99'000 : 70'000);
    gpu.power.energy_mj.set_error(15);
    gpu.power.management.set(1);
    gpu.ecc.corrected_volatile.total.set(i);
    gpu.nvlink.links.count = i;  // as many links as its index
    for (std::uint32_t link = 0; link < i; ++link)
      gpu.nvlink.links[link].version.set(5);
    gpu.topology.cpu_affinity.count = 2;
    gpu.topology.cpu_affinity[0] = 0xFF;
    view.indices.push_back(i);
    view.gpus.push_back(gpu);
  }
  return view;
}

}  // namespace nvmlab::tool
