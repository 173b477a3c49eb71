// SPDX-License-Identifier: Apache-2.0
// nvmlab ps: processes on the GPUs of a machine that is up. Tests: tests/tool/ps_test.cpp.
#include <algorithm>

#include "tool/cli/command.hpp"
#include "tool/cli/output.hpp"
#include "tool/cli/shared_options.hpp"
#include "tool/machine/json.hpp"
#include "tool/machine/machines.hpp"
#include "tool/machine/processes.hpp"
#include "tool/machine/selection.hpp"
#include "tool/machine/snapshot.hpp"

namespace nvmlab::tool {
namespace {

using Running = Processes::Process;

bool runs(const Gpu& gpu, std::uint32_t pid) {
  return std::ranges::any_of(gpu.processes.running,
                             [pid](const Running& each) { return each.pid.has_value() && each.pid.value == pid; });
}

struct PsList {
  std::string machine_name;
  std::string gpu_selection = "all";
  bool json = false;

  void declare(CommandLine& line);
  int run() const;
};

void PsList::declare(CommandLine& line) {
  add_machine(line, machine_name);
  add_gpu_selection(line, gpu_selection);
  add_json(line, json);
}

Json json_of_process(std::uint32_t gpu, const Running& each) {
  Json row = {{"gpu", gpu},
              {"pid", each.pid.value_or(0)},
              {"type", type_of(each.kinds.value_or(0))},
              {"used_bytes", each.used_bytes.value_or(0)},
              {"name", each.name.has_value() ? each.name.data : ""},
              {"followed", each.start_ticks.has_value()}};
  if (each.gpu_instance.has_value()) row["gpu_instance"] = each.gpu_instance.value;
  if (each.compute_instance.has_value()) row["compute_instance"] = each.compute_instance.value;
  return row;
}

int PsList::run() const {
  auto machine = OpenMachine::open(chosen_machine(machine_name));
  if (!machine) return complain(machine.error());
  const auto gpus = select_gpus(gpu_selection, uuids_of(machine->store()));
  if (!gpus) return complain(gpus.error());
  const Snapshot snapshot = take_snapshot(machine->store(), *gpus);
  Table table({"GPU", "PID", "TYPE", "MEMORY", "SM", "NAME"});
  Json rows = Json::array();
  for (std::size_t i = 0; i < snapshot.gpus.size(); ++i) {
    for (const Running& each : snapshot.gpus[i].processes.running) {
      rows.push_back(json_of_process(snapshot.indices[i], each));
      table.add({fmt::format("{}", snapshot.indices[i]), fmt::format("{}", each.pid.value_or(0)),
                 type_of(each.kinds.value_or(0)), fmt::format("{} MiB", each.used_bytes.value_or(0) >> 20),
                 fmt::format("{} %", each.sm_percent.value_or(0)), each.name.has_value() ? each.name.data : "-"});
    }
  }
  if (json) {
    print(std::string_view(text_of(rows)));
  } else if (table.empty()) {
    print("no process runs on these GPUs\n");
  } else {
    print(std::string_view(table.text()));
  }
  return kGood;
}

struct PsAdd {
  ProcessWords words;
  std::string machine_name;
  std::string gpu_selection = "0";

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
  line.option("--gpu-instance", "ID", words.gpu_instance, "The GPU instance in which it runs");
  line.option("--compute-instance", "ID", words.compute_instance, "The compute instance in which it runs");
}

int PsAdd::run() const {
  const auto process = read_process(words);
  if (!process) return misused(process.error());
  auto machine = OpenMachine::open(chosen_machine(machine_name));
  if (!machine) return complain(machine.error());
  const auto gpus = select_gpus(gpu_selection, uuids_of(machine->store()));
  if (!gpus) return complain(gpus.error());
  std::vector<Change> changes;
  for (const std::uint32_t gpu : *gpus)
    changes.push_back(gpu_change(gpu, *process));
  const auto refused = apply_to_processes(machine->store(), machine->file(), changes, process->pid);
  return refused ? complain(*refused) : kGood;
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
  auto machine = OpenMachine::open(chosen_machine(machine_name));
  if (!machine) return complain(machine.error());
  const auto gpus = select_gpus(gpu_selection, uuids_of(machine->store()));
  if (!gpus) return complain(gpus.error());
  const Snapshot snapshot = take_snapshot(machine->store(), *gpus);
  std::vector<Change> changes;
  for (std::size_t i = 0; i < snapshot.gpus.size(); ++i) {
    if (runs(snapshot.gpus[i], *number)) changes.push_back(gpu_change(snapshot.indices[i], EndProcess{*number}));
  }
  if (changes.empty()) return complain("no process {} runs on these GPUs", *number);
  const auto refused = apply_to_processes(machine->store(), machine->file(), changes, *number);
  return refused ? complain(*refused) : kGood;
}

constexpr const char* kAbout =
    "A process holds memory of its GPU and is listed by every client (nvidia-smi, nvtop, "
    "nvmlDeviceGetComputeRunningProcesses). "
    "The id of a process that runs here makes it a real one: it leaves the GPU when it ends, as soon as somebody who "
    "can see "
    "it initialises NVML or asks nvmlab. Any other id stays until `nvmlab ps rm`. Where accounting is on, the GPU "
    "remembers "
    "what has ended.";

constexpr Example kPsAddExamples[] = {
    {"nvmlab ps add --gpu 0 --pid 4242 --memory 1GiB --name trainer", "a process that only the simulated GPU knows"},
    {"nvmlab ps add --gpu 0-3 --pid $$ --memory 512MiB --sm 90", "this shell, on four GPUs, until it ends"},
};
constexpr Example kPsRmExamples[] = {{"nvmlab ps rm --pid 4242", "from all GPUs on which it runs"}};

}  // namespace

extern const Command kPs{
    .name = "ps",
    .summary = "List the processes on GPUs of a machine that is up",
    .about = kAbout,
    .declare = declared<PsList>,
};
extern const Command kPsAdd{
    .name = "ps add",
    .summary = "Let a process take a GPU",
    .about = kAbout,
    .examples = kPsAddExamples,
    .declare = declared<PsAdd>,
};
extern const Command kPsRm{
    .name = "ps rm",
    .summary = "Let a process leave its GPUs",
    .about = kAbout,
    .examples = kPsRmExamples,
    .declare = declared<PsRm>,
};
extern const Command kPsLs{
    .name = "ps ls",
    .summary = "List the processes on GPUs of a machine that is up",
    .about = kAbout,
    .declare = declared<PsList>,
};

}  // namespace nvmlab::tool
