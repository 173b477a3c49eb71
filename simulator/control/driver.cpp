// SPDX-License-Identifier: Apache-2.0
#include "control/driver.hpp"

#include <fmt/format.h>

#include "control/clients.hpp"
#include "control/machine.hpp"
#include "engine/topics/driver/driver_load.hpp"
#include "engine/topics/vgpu/vgpu_host.hpp"

namespace nvmlab::control {

std::string driver_version(const Machine& machine) {
  return read_field(machine.store().node, &Node::system, &System::driver_version).data;
}

DriverState driver_state(const Machine& machine) {
  const Store& store = machine.store();
  return {.version = driver_version(machine),
          .loaded = driver_phase(store) == DriverPhase::loaded,
          .init_answer = init_answer(store),
          .loads = driver_loads(store)};
}

std::vector<std::string> driver_users(const Machine& machine) {
  std::vector<std::string> users;
  for (const Client& client : clients_of(machine))
    users.push_back(fmt::format("{}[{}] has it open", client.name, client.pid));
  for (std::uint32_t i = 0; i < machine.gpu_count(); ++i) {
    const GpuSlot& slot = machine.store().gpus()[i];
    if (!present(slot)) continue;
    const auto running = consistent(slot, [](const Gpu& gpu) { return length_of(gpu.processes.running); });
    if (running > 0) users.push_back(fmt::format("GPU {} runs {} processes", i, running));
    if (vgpus_run_on(machine.store(), i)) users.push_back(fmt::format("GPU {} lends out vGPUs", i));
    if (read_field(slot, &Gpu::modes, &Modes::persistence).value_or(0) != 0)
      users.push_back(fmt::format("GPU {} has persistence mode on", i));
  }
  return users;
}

}  // namespace nvmlab::control
