// SPDX-License-Identifier: Apache-2.0
// nvmlab ps rm: a process leaves GPUs of a machine that is up. Tests: tests/command/ps_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/process_words.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"
#include "control/processes.hpp"
#include "control/selection.hpp"

namespace nvmlab::tool {
namespace {

struct PsRm {
  std::string pid;
  std::string machine_name;
  std::string gpu_selection = "all";

  void declare(CommandLine& line);
  int run() const;
};

void PsRm::declare(CommandLine& line) {
  add_machine(line, machine_name);
  add_gpu_selection(line, gpu_selection);
  line.option("--pid", "PID", pid, "The process that ends").required();
}

int PsRm::run() const {
  const auto number = read_pid(pid);
  if (!number) return misused(number.error());
  auto machine = Machine::open(control::chosen_machine(machine_name));
  if (!machine) return complain(machine.error());
  const auto gpus = control::select_gpus(*machine, gpu_selection);
  if (!gpus) return complain(gpus.error());
  const auto ended = control::end_process(*machine, *gpus, *number);
  return ended ? kGood : complain(ended.error());
}

constexpr Example kPsRmExamples[] = {{"nvmlab ps rm --pid 4242", "from all GPUs on which it runs"}};

}  // namespace

extern const Command kPsRm{
    .name = "ps rm",
    .summary = "Let a process leave its GPUs",
    .about =
        "The process lets go of the memory that it holds on these GPUs; those on which it does not run stay as they "
        "are.",
    .examples = kPsRmExamples,
    .declare = declared<PsRm>,
};

}  // namespace nvmlab::tool
