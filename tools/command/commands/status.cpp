// SPDX-License-Identifier: Apache-2.0
// nvmlab status: how a machine is doing. Tests: tests/command/status_test.cpp.
#include "compiler/return_codes.hpp"
#include "engine/topics/driver/driver_load.hpp"
#include "engine/topics/faults/faulty_calls.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/clients.hpp"
#include "command/machine/faults.hpp"
#include "command/machine/function_faults.hpp"
#include "command/machine/json.hpp"
#include "command/machine/machines.hpp"
#include "command/machine/moments.hpp"
#include "command/machine/snapshot.hpp"

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

struct LogLength {
  std::uint64_t entries = 0;
  std::uint64_t fell_out = 0;
};

LogLength length_of(const ChangeLog& log) {
  LogLength length;
  LogEntry entry{};
  std::uint64_t place = 0;
  std::uint64_t number = 0;
  while (next_entry(log, &place, &entry, &number)) {
    if (length.entries++ == 0) length.fell_out = number;
  }
  return length;
}

struct Held {
  std::uint64_t processes = 0;
  std::uint64_t pins = 0;
  std::uint64_t loaded_gpus = 0;
};

Held held_on(const Store& store) {
  Held held;
  held.pins = load(store.node.pins).size();
  for (std::uint32_t i = 0; i < store.header.gpu_count; ++i) {
    const GpuSlot& slot = store.gpus()[i];
    held.processes += consistent(slot, [](const Gpu& gpu) { return length_of(gpu.processes.running); });
    held.pins += load(slot.pins).size();
    held.loaded_gpus += is_loaded(store, i) ? 1 : 0;
  }
  return held;
}

Json faults_on(const Store& store) {
  Json all = Json::array();
  for (std::uint32_t i = 0; i < store.header.gpu_count; ++i) {
    const Faults faults = read_faults(store.gpus()[i]);
    for (const ActiveFault& fault : faults)
      all.push_back({{"gpu", i}, {"fault", describe(fault)}, {"since_ns", fault.since_ns}});
  }
  for (std::uint32_t place = 0; place < kMaxFunctionFaults; ++place) {
    const FunctionFault fault = read_function_fault(store, place);
    if (fault.id == 0) continue;
    const Json gpu = fault.gpu == kAnyGpu ? Json() : Json(fault.gpu);
    all.push_back({{"gpu", gpu}, {"fault", describe(fault)}, {"since_ns", fault.since_ns}});
  }
  if (const std::uint32_t code = store.header.init_code; code != kSuccess)
    all.push_back({{"gpu", Json()}, {"fault", "init " + compiler::return_code_name(code)}, {"since_ns", Json()}});
  return all;
}

std::uint64_t gpus_removed(const Store& store) {
  std::uint64_t count = 0;
  for (std::uint32_t i = 0; i < store.header.gpu_count; ++i)
    count += present(store.gpus()[i]) ? 0 : 1;
  return count;
}

Json status_of(Machine& machine, const std::string& name) {
  const Store& store = machine.store();
  const LogLength log = length_of(store.log);
  const Held held = held_on(store);
  Json clients = Json::array();
  for (const Client& client : clients_of(machine.file()))
    clients.push_back({{"pid", client.pid}, {"name", client.name}});
  return {{"machine", name},
          {"file", machine.file().path},
          {"profile", store.header.profile},
          {"driver", read_field(store.node, &Node::system, &System::driver_version).data},
          {"driver_loaded", driver_phase(store) == DriverPhase::loaded},
          {"phase", taken_down(store) ? "taken down" : "up"},
          {"since_ns", store.header.created_ns},
          {"gpus", store.header.gpu_count},
          {"gpus_removed", gpus_removed(store)},
          {"clients", clients},
          {"processes", held.processes},
          {"fields_pinned", held.pins},
          {"gpus_loaded", held.loaded_gpus},
          {"faults", faults_on(store)},
          {"events_raised", events_raised(store.events)},
          {"events_lost", events_lost(store.events)},
          {"log_entries", log.entries},
          {"log_entries_fell_out", log.fell_out}};
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
  const std::string name = chosen_machine(machine_name);
  auto machine = Machine::open(name);
  if (!machine) return complain(machine.error());
  const Json status = status_of(*machine, name);
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
