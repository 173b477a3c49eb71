// SPDX-License-Identifier: Apache-2.0
// nvmlab reset: resets GPUs of a machine that is up, as nvidia-smi -r does. Tests: tests/command/reset_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/chosen_gpus.hpp"
#include "command/machine/kernel_log.hpp"
#include "control/refusals.hpp"
#include "engine/change/change.hpp"

namespace nvmlab::tool {
namespace {

struct ResetCommand {
  std::string machine_name;
  std::string gpu_selection = "all";
  std::optional<std::string> kernel_log;

  void declare(CommandLine& line);
  int run() const;
};

void ResetCommand::declare(CommandLine& line) {
  add_machine(line, machine_name);
  add_gpu_selection(line, gpu_selection);
  line.option("--kernel-log", "FILE", kernel_log, "As that of `nvmlab fault`").complete(Complete::file);
}

// Persistence mode is an attachment of the driver itself.
Complaints holders_of(const Store& store, const std::vector<std::uint32_t>& gpus) {
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

int ResetCommand::run() const {
  auto chosen = choose_gpus(machine_name, gpu_selection);
  if (!chosen) return complain(chosen.error());
  Store& store = chosen->machine.store();
  auto log = kernel_log_of(chosen->machine, kernel_log);
  if (!log) return complain(log.error());

  const WriteLock lock(&chosen->machine.file());  // nobody takes a GPU between the look and the reset
  if (lock.code() != kSuccess || taken_down(store)) return complain(control::not_locked(lock.code()));
  if (const Complaints holders = holders_of(store, chosen->gpus); !holders.empty()) {
    complain_all(holders);
    return complain("no GPU was reset");
  }
  const std::vector<Change> changes = chosen->changes(ResetGpu{});
  const LoggedChanges made = apply_logged(chosen->machine, lock, changes, *log);
  if (made.code != kSuccess) return complain(control::refusal(made.code, changes[made.failed], "reset"));
  return made.log_problem.empty() ? kGood : complain(made.log_problem);
}

constexpr Example kResetExamples[] = {{"nvmlab reset --gpu 3", "what waits for a reset of GPU 3 comes into force"}};

}  // namespace

extern const Command kReset{
    .name = "reset",
    .summary = "Reset GPUs of a machine that is up",
    .about =
        "Resets GPUs as `nvidia-smi -r` does: pending modes and remapped rows come into force, counters since the "
        "driver was loaded begin at zero, limits and locked clocks are gone; what is stored on the board stays. A GPU "
        "that persistence mode or a process holds is not reset, and then none of the others is.",
    .examples = kResetExamples,
    .declare = declared<ResetCommand>,
};

}  // namespace nvmlab::tool
