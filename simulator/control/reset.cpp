// SPDX-License-Identifier: Apache-2.0
#include "control/reset.hpp"

#include <fmt/format.h>

#include "control/refusals.hpp"

namespace nvmlab::control {
namespace {

// Persistence mode is an attachment of the driver itself.
Complaints holders_of(const Store& store, std::span<const std::uint32_t> gpus) {
  Complaints complaints;
  for (const std::uint32_t gpu : gpus) {
    const GpuSlot& slot = store.gpus()[gpu];
    if (read_field(slot, &Gpu::modes, &Modes::persistence).value_or(0) != 0)
      complaints.push_back(
          fmt::format("GPU {0}: persistence mode holds it; `nvmlab set --gpu {0} modes.persistence=disabled`", gpu));
    if (consistent(slot, [](const Gpu& state) { return load(state.processes); }).running.size() > 0)
      complaints.push_back(fmt::format("GPU {0}: processes hold it; `nvmlab ps --gpu {0}` lists them", gpu));
  }
  return complaints;
}

}  // namespace

std::expected<void, Complaints> reset(Machine& machine, std::span<const std::uint32_t> gpus,
                                      std::optional<KernelLog>& log) {
  const Store& store = machine.store();
  const WriteLock lock(&machine.file());  // no process takes a GPU between the check and the reset
  if (lock.code() != kSuccess || taken_down(store)) return std::unexpected(Complaints{not_locked(lock.code())});
  if (Complaints holders = holders_of(store, gpus); !holders.empty()) {
    holders.emplace_back("no GPU was reset");
    return std::unexpected(std::move(holders));
  }
  std::vector<Change> changes;
  for (const std::uint32_t gpu : gpus)
    changes.push_back(make_change(gpu, ResetGpu{}));
  const LoggedChanges made = apply_logged(machine, lock, changes, log);
  if (made.code != kSuccess) return std::unexpected(Complaints{refusal(made.code, changes[made.failed], "reset")});
  if (!made.log_problem.empty()) return std::unexpected(Complaints{made.log_problem});
  return {};
}

}  // namespace nvmlab::control
