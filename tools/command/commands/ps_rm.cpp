// SPDX-License-Identifier: Apache-2.0
// nvmlab ps rm: a process leaves GPUs of a machine that is up. Tests: tests/command/ps_test.cpp.
#include <algorithm>

#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/machines.hpp"
#include "command/machine/processes.hpp"
#include "command/machine/selection.hpp"
#include "command/machine/snapshot.hpp"

namespace nvmlab::tool {
namespace {

// As `nvmlab ps` lists it.
const Processes::Process* find_listed(const Gpu& gpu, std::uint32_t pid) {
  const auto& running = gpu.processes.running;
  const auto* found = std::ranges::find_if(running, [pid](const auto& each) { return listed_pid(each).pid == pid; });
  return found == running.end() ? nullptr : found;
}

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
  auto machine = Machine::open(chosen_machine(machine_name));
  if (!machine) return complain(machine.error());
  const auto gpus = select_gpus(gpu_selection, selectable_gpus(machine->store()));
  if (!gpus) return complain(gpus.error());
  const Snapshot snapshot = take_snapshot(machine->store(), *gpus);
  std::vector<Change> changes;
  for (std::size_t i = 0; i < snapshot.gpus.size(); ++i) {
    if (const auto* process = find_listed(snapshot.gpus[i], *number))
      changes.push_back(
          make_change(snapshot.indices[i], EndProcess{process->pid.value_or(0), process->pid_namespace.value_or(0)}));
  }
  if (changes.empty()) return complain("no process {} runs on these GPUs", *number);
  const auto refused = apply_to_processes(machine->store(), machine->file(), changes, *number);
  return refused ? complain(*refused) : kGood;
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
