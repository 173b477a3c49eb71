// SPDX-License-Identifier: Apache-2.0
#include "control/status.hpp"

#include "control/machine.hpp"
#include "control/view.hpp"

namespace nvmlab::control {
namespace {

void count_gpus(const Machine& machine, MachineStatus& status) {
  for (std::uint32_t i = 0; i < machine.gpu_count(); ++i) {
    const GpuSlot& slot = machine.store().gpus()[i];
    status.gpus_removed += present(slot) ? 0 : 1;
    status.gpus_loaded += is_loaded(machine, i) ? 1 : 0;
    status.processes += consistent(slot, [](const Gpu& gpu) { return length_of(gpu.processes.running); });
    status.pins += load(slot.pins).size();
  }
}

void count_log(const ChangeLog& log, MachineStatus& status) {
  LogEntry entry{};
  std::uint64_t place = 0;
  std::uint64_t number = 0;
  while (next_entry(log, &place, &entry, &number)) {
    if (status.log_entries++ == 0) status.log_fell_out = number;
  }
}

}  // namespace

MachineStatus status_of(const Machine& machine) {
  const Store& store = machine.store();
  MachineStatus status{.profile = store.header.profile,
                       .created_ns = store.header.created_ns,
                       .pins = load(store.node.pins).size(),
                       .events_raised = nvmlab::events_raised(store.events),
                       .events_lost = nvmlab::events_lost(store.events)};
  count_gpus(machine, status);
  count_log(store.log, status);
  return status;
}

std::uint64_t seed_of(const Machine& machine) { return machine.store().header.seed; }

}  // namespace nvmlab::control
