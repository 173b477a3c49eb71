// SPDX-License-Identifier: Apache-2.0
// nvmlab ps, also as ps ls: processes on the GPUs of a machine that is up. Tests: tests/command/ps_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/machine/chosen_gpus.hpp"
#include "command/machine/process_words.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"
#include "control/processes.hpp"
#include "control/selection.hpp"

namespace nvmlab::tool {
namespace {

struct PsList : GpuListOptions {
  int run() const;
};

Json json_of_process(const control::ListedProcess& listed) {
  const Processes::Process& each = listed.process;
  Json row = {{"gpu", listed.gpu},
              {"pid", listed.pid.pid},
              {"type", type_of(each.kinds.value_or(0))},
              {"used_bytes", each.used_bytes.value_or(0)},
              {"name", each.name.has_value() ? each.name.data : ""},
              {"followed", each.start_ticks.has_value()}};
  if (listed.pid.pid_namespace != 0) row["pid_namespace"] = listed.pid.pid_namespace;
  if (each.gpu_instance.has_value()) row["gpu_instance"] = each.gpu_instance.value;
  if (each.compute_instance.has_value()) row["compute_instance"] = each.compute_instance.value;
  return row;
}

std::string text_of_pid(const control::ListedPid& listed) {
  if (listed.pid_namespace == 0) return fmt::format("{}", listed.pid);
  return fmt::format("{} pid:[{}]", listed.pid, listed.pid_namespace);
}

int PsList::run() const {
  auto machine = Machine::open(control::chosen_machine(machine_name));
  if (!machine) return complain(machine.error());
  const auto gpus = control::select_gpus(*machine, gpu_selection);
  if (!gpus) return complain(gpus.error());
  Table table({"GPU", "PID", "TYPE", "MEMORY", "SM", "NAME"});
  Json rows = Json::array();
  for (const control::ListedProcess& listed : control::running_processes(*machine, *gpus)) {
    const Processes::Process& each = listed.process;
    rows.push_back(json_of_process(listed));
    table.add({fmt::format("{}", listed.gpu), text_of_pid(listed.pid), type_of(each.kinds.value_or(0)),
               fmt::format("{} MiB", each.used_bytes.value_or(0) >> 20),
               fmt::format("{} %", each.sm_percent.value_or(0)), each.name.has_value() ? each.name.data : "-"});
  }
  return print_rows(rows, table, "no process runs on these GPUs");
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
