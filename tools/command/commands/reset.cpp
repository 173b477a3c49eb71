// SPDX-License-Identifier: Apache-2.0
// nvmlab reset: resets GPUs of a machine that is up, as nvidia-smi -r does. Tests: tests/command/reset_test.cpp.
#include "control/reset.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/chosen_gpus.hpp"
#include "control/kernel_log.hpp"

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

int ResetCommand::run() const {
  auto chosen = choose_gpus(machine_name, gpu_selection);
  if (!chosen) return complain(chosen.error());
  auto log = control::kernel_log_of(chosen->machine, kernel_log);
  if (!log) return complain(log.error());
  const auto done = control::reset(chosen->machine, chosen->gpus, *log);
  return done ? kGood : complain_all(done.error());
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
