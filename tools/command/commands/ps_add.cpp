// SPDX-License-Identifier: Apache-2.0
// nvmlab ps add: a process takes GPUs of a machine that is up. Tests: tests/command/ps_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/chosen_gpus.hpp"
#include "command/machine/process_words.hpp"
#include "control/processes.hpp"

namespace nvmlab::tool {
namespace {

struct PsAdd {
  ProcessWords words;
  std::string machine_name;
  std::string gpu_selection = "all";

  void declare(CommandLine& line);
  int run() const;
};

void PsAdd::declare(CommandLine& line) {
  add_machine(line, machine_name);
  add_gpu_selection(line, gpu_selection);
  line.option("--pid", "PID", words.pid, "Its process id; a process that runs here is followed until it ends")
      .required();
  line.option("--type,-t", "TYPE", words.type,
              "Kind of context: compute, graphics, compute+graphics or mps (default: compute)");
  line.option("--name", "NAME", words.name, "What monitors call it; the command line of a process that runs here");
  line.option("--memory", "BYTES", words.memory, "Frame buffer that it holds, such as 1GiB; none without it");
  line.option("--sm", "PERCENT", words.sm, "Its share of the SMs");
  line.option("--memory-bandwidth", "PERCENT", words.memory_bandwidth, "Its share of memory bandwidth");
  words.instances.declare(line);
}

int PsAdd::run() const {
  const auto process = read_process(words);
  if (!process) return misused(process.error());
  auto chosen = choose_gpus(machine_name, gpu_selection);
  if (!chosen) return complain(chosen.error());
  const auto started = control::start_process(chosen->machine, chosen->gpus, *process, *read_pid(words.pid));
  return started ? kGood : complain(started.error());
}

constexpr Example kPsAddExamples[] = {
    {"nvmlab ps add --gpu 0 --pid 4242 --memory 1GiB --name trainer", "a process that only the simulated GPU knows"},
    {"nvmlab ps add --gpu 0-3 --pid $$ --memory 512MiB --sm 90", "this shell, on four GPUs, until it ends"},
};

}  // namespace

extern const Command kPsAdd{
    .name = "ps add",
    .summary = "Let a process take GPUs",
    .about =
        "A process holds memory of its GPUs, and every client lists it. The id of a process that runs here makes it a "
        "real one: it leaves the GPUs when it ends, as soon as somebody who can see it initialises NVML or runs "
        "nvmlab. "
        "Any other id stays until `nvmlab ps rm`. Where accounting is on, the GPU remembers what has ended.",
    .examples = kPsAddExamples,
    .declare = declared<PsAdd>,
};

}  // namespace nvmlab::tool
