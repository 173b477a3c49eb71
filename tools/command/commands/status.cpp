// SPDX-License-Identifier: Apache-2.0
// nvmlab status: how a machine is doing. Tests: tests/command/status_test.cpp.
#include "control/status.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/faults.hpp"
#include "command/machine/function_faults.hpp"
#include "command/machine/json.hpp"
#include "command/machine/moments.hpp"
#include "compiler/return_codes.hpp"
#include "control/clients.hpp"
#include "control/driver.hpp"
#include "control/faults.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"

namespace nvmlab::tool {
namespace {

struct StatusCommand {
  std::string machine_name;
  bool json = false;

  void declare(CommandLine& line);
  int run() const;
};

void StatusCommand::declare(CommandLine& line) {
  add_machine(line, machine_name);
  add_json(line, json);
}

Json faults_on(const Machine& machine) {
  Json all = Json::array();
  for (const auto& [gpu, fault] : control::gpu_faults(machine))
    all.push_back({{"gpu", gpu}, {"fault", describe(fault)}, {"since_ns", fault.since_ns}});
  for (const FunctionFault& fault : control::function_faults(machine)) {
    const Json gpu = fault.gpu == kAnyGpu ? Json() : Json(fault.gpu);
    all.push_back({{"gpu", gpu}, {"fault", describe(fault)}, {"since_ns", fault.since_ns}});
  }
  if (const std::uint32_t code = control::init_fault(machine); code != kSuccess)
    all.push_back({{"gpu", Json()}, {"fault", "init " + compiler::return_code_name(code)}, {"since_ns", Json()}});
  return all;
}

Json json_of_status(const Machine& machine, const std::string& name) {
  const control::MachineStatus status = control::status_of(machine);
  const control::DriverState driver = control::driver_state(machine);
  Json clients = Json::array();
  for (const control::Client& client : control::clients_of(machine))
    clients.push_back({{"pid", client.pid}, {"name", client.name}});
  return {{"machine", name},
          {"file", machine.path()},
          {"profile", status.profile},
          {"driver", driver.version},
          {"driver_loaded", driver.loaded},
          {"phase", machine.is_up() ? "up" : "taken down"},
          {"since_ns", status.created_ns},
          {"gpus", machine.gpu_count()},
          {"gpus_removed", status.gpus_removed},
          {"clients", clients},
          {"processes", status.processes},
          {"fields_pinned", status.pins},
          {"gpus_loaded", status.gpus_loaded},
          {"faults", faults_on(machine)},
          {"events_raised", status.events_raised},
          {"events_lost", status.events_lost},
          {"log_entries", status.log_entries},
          {"log_entries_fell_out", status.log_fell_out}};
}

std::string names_of_clients(const Json& clients) {
  std::string names;
  for (const Json& client : clients)
    names += fmt::format("{}{}[{}]", names.empty() ? "" : ", ", client["name"].get<std::string>(),
                         client["pid"].get<std::uint32_t>());
  return names.empty() ? "none that this user can see" : names;
}

void add_faults(Table& table, const Json& faults) {
  if (faults.empty()) table.add({"faults", "none"});
  for (const Json& fault : faults) {
    std::string text = fault["gpu"].is_null() ? "" : fmt::format("GPU {}: ", fault["gpu"].get<std::uint32_t>());
    text += fault["fault"].get<std::string>();
    if (!fault["since_ns"].is_null()) text += " since " + local_time(fault["since_ns"].get<std::uint64_t>());
    table.add({"faults", text});
  }
}

std::string as_table(const Json& status) {
  const auto number = [&status](const char* name) { return status[name].get<std::uint64_t>(); };
  const auto text = [&status](const char* name) { return status[name].get<std::string>(); };
  Table table({"", ""});
  table.add({"machine", fmt::format("{} ({})", text("machine"), text("file"))});
  const char* const loaded = status["driver_loaded"].get<bool>() ? "" : ", which is not loaded";
  table.add({"profile", fmt::format("{}, driver {}{}", text("profile"), text("driver"), loaded)});
  table.add({"phase", fmt::format("{} since {}", text("phase"), local_time(number("since_ns")))});
  table.add({"GPUs", fmt::format("{}, {} removed", number("gpus"), number("gpus_removed"))});
  table.add({"clients", names_of_clients(status["clients"])});
  table.add({"processes", fmt::format("{} on GPUs", number("processes"))});
  table.add({"fields", fmt::format("{} pinned", number("fields_pinned"))});
  table.add({"load", fmt::format("moves {} GPUs", number("gpus_loaded"))});
  add_faults(table, status["faults"]);
  table.add({"events", fmt::format("{} raised, {} lost", number("events_raised"), number("events_lost"))});
  table.add({"log", fmt::format("{} entries, {} fell out", number("log_entries"), number("log_entries_fell_out"))});
  return table.text();
}

int StatusCommand::run() const {
  const std::string name = control::chosen_machine(machine_name);
  auto machine = Machine::open(name);
  if (!machine) return complain(machine.error());
  const Json status = json_of_status(*machine, name);
  print(std::string_view(json ? text_of(status) : as_table(status)));
  return kGood;
}

constexpr Example kStatusExamples[] = {{"nvmlab status --machine ci --json", "for a script"}};

}  // namespace

extern const Command kStatus{
    .name = "status",
    .summary = "Show how a machine that is up is doing",
    .about =
        "Prints where a machine lies and since when, its GPUs and how many of them are removed, which programs have it "
        "open, processes on its GPUs, pinned fields, faults, events that were raised, and the length of its log.\n\n"
        "An event is lost where an event set is not waited on while thousands of others come; each set that misses one "
        "counts it, if its user may write to the machine.",
    .examples = kStatusExamples,
    .declare = declared<StatusCommand>,
    .not_in_scenarios = true,
};

}  // namespace nvmlab::tool
