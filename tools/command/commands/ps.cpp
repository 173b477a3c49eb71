// SPDX-License-Identifier: Apache-2.0
// nvmlab ps, also as ps ls: processes on the GPUs of a machine that is up. Tests: tests/command/ps_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/json.hpp"
#include "command/machine/machines.hpp"
#include "command/machine/processes.hpp"
#include "command/machine/selection.hpp"
#include "command/machine/snapshot.hpp"

namespace nvmlab::tool {
namespace {

using Running = Processes::Process;

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

Json json_of_process(std::uint32_t gpu, const Running& each, const ListedPid& listed) {
  Json row = {{"gpu", gpu},
              {"pid", listed.pid},
              {"type", type_of(each.kinds.value_or(0))},
              {"used_bytes", each.used_bytes.value_or(0)},
              {"name", each.name.has_value() ? each.name.data : ""},
              {"followed", each.start_ticks.has_value()}};
  if (listed.pid_namespace != 0) row["pid_namespace"] = listed.pid_namespace;
  if (each.gpu_instance.has_value()) row["gpu_instance"] = each.gpu_instance.value;
  if (each.compute_instance.has_value()) row["compute_instance"] = each.compute_instance.value;
  return row;
}

std::string text_of_pid(const ListedPid& listed) {
  if (listed.pid_namespace == 0) return fmt::format("{}", listed.pid);
  return fmt::format("{} pid:[{}]", listed.pid, listed.pid_namespace);
}

int PsList::run() const {
  auto machine = Machine::open(chosen_machine(machine_name));
  if (!machine) return complain(machine.error());
  const auto gpus = select_gpus(gpu_selection, selectable_gpus(machine->store()));
  if (!gpus) return complain(gpus.error());
  const Snapshot snapshot = take_snapshot(machine->store(), *gpus);
  Table table({"GPU", "PID", "TYPE", "MEMORY", "SM", "NAME"});
  Json rows = Json::array();
  for (std::size_t i = 0; i < snapshot.gpus.size(); ++i) {
    for (const Running& each : snapshot.gpus[i].processes.running) {
      const ListedPid listed = listed_pid(each);
      rows.push_back(json_of_process(snapshot.indices[i], each, listed));
      table.add({fmt::format("{}", snapshot.indices[i]), text_of_pid(listed), type_of(each.kinds.value_or(0)),
                 fmt::format("{} MiB", each.used_bytes.value_or(0) >> 20),
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

constexpr const char* kAbout =
    "Lists the processes that hold GPUs of a machine that is up: those that its profile names and those that "
    "`nvmlab ps add` has put there. A real process is gone from the list once it has ended.";

}  // namespace

extern const Command kPs{
    .name = "ps",
    .summary = "List the processes on GPUs of a machine that is up",
    .about = kAbout,
    .declare = declared<PsList>,
};
extern const Command kPsLs{
    .name = "ps ls",
    .summary = "List the processes on GPUs of a machine that is up",
    .about = kAbout,
    .declare = declared<PsList>,
};

}  // namespace nvmlab::tool
