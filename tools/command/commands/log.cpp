// SPDX-License-Identifier: Apache-2.0
// nvmlab log: who asked what of a machine. Tests: tests/command/log_test.cpp.
#include <algorithm>
#include <deque>

#include "base/text.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/change_text.hpp"
#include "command/machine/moments.hpp"
#include "compiler/return_codes.hpp"
#include "control/log.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"
#include "control/selection.hpp"

namespace nvmlab::tool {
namespace {

struct Log {
  std::string machine_name;
  std::string gpu_selection;
  std::optional<std::string> since;
  std::optional<std::string> count;
  bool follow = false;
  bool json = false;

  void declare(CommandLine& line);
  int run() const;
};

void Log::declare(CommandLine& line) {
  add_machine(line, machine_name);
  line.option(
          "--gpu,-g", "G", gpu_selection,
          "Only what was asked of these GPUs: indices, ranges, UUIDs, bus addresses; else also what was asked of the "
          "machine as a whole")
      .complete(Complete::gpu);
  line.option("--since", "TIME", since, "Only what came later: 90s, 15m, 2h or 1d ago, or \"2026-11-22 16:02\"");
  line.option("--lines,-n", "N", count, "Only the last N entries");
  line.flag("--follow,-f", follow, "Go on with what comes, until the machine is taken down");
  add_json(line, json);
}

using control::LogReader;
using control::NumberedEntry;

std::string name_of_code(std::uint32_t code) { return code == kSuccess ? "SUCCESS" : compiler::return_code_name(code); }

std::string program_of(const Caller& caller) { return {caller.name, ::strnlen(caller.name, sizeof caller.name)}; }

bool of_a_gpu(const LogEntry& entry) { return entry.target.is_gpu(); }

Json log_json(const NumberedEntry& numbered) {
  const LogEntry& entry = numbered.entry;
  const ChangeText change = text_of(entry);
  return {{"number", numbered.number},
          {"time_ns", entry.at_ns},
          {"gpu", of_a_gpu(entry) ? Json(entry.target.gpu) : Json()},
          {"change", change.name},
          {"arguments", change.arguments},
          {"code", name_of_code(entry.code)},
          {"pid", entry.caller.pid},
          {"pid_namespace", entry.caller.pid_namespace},
          {"uid", entry.caller.user},
          {"process", program_of(entry.caller)}};
}

// A pid of another namespace says little without it.
std::string asked_by(const Caller& caller, std::uint32_t own_namespace) {
  std::string text = fmt::format("{}[{}] uid {}", program_of(caller), caller.pid, caller.user);
  if (caller.pid_namespace != own_namespace) text += fmt::format(" pid:[{}]", caller.pid_namespace);
  return text;
}

std::string log_line(const NumberedEntry& numbered, std::uint32_t own_namespace) {
  const LogEntry& entry = numbered.entry;
  const std::string owner = of_a_gpu(entry) ? fmt::format("GPU {}", entry.target.gpu) : "machine";
  std::string line = fmt::format("{}  {}  {}  {}  {}", numbered.number, local_time(entry.at_ns),
                                 asked_by(entry.caller, own_namespace), owner, line_of(text_of(entry)));
  if (entry.code != kSuccess) line += fmt::format("  refused: {}", name_of_code(entry.code));
  return line;
}

void print_entries(const std::deque<NumberedEntry>& entries, bool json) {
  const std::uint32_t own_namespace = calling_process().pid_namespace;
  for (const NumberedEntry& each : entries) {
    const std::string line =
        json ? log_json(each).dump(-1, ' ', false, Json::error_handler_t::replace) : log_line(each, own_namespace);
    print("{}\n", line);
  }
}

int print_document(LogReader& reader, std::uint64_t most) {
  Json entries = Json::array();
  for (const NumberedEntry& each : reader.read(most))
    entries.push_back(log_json(each));
  print(std::string_view(text_of(Json{{"fell_out", reader.fell_out()}, {"entries", std::move(entries)}})));
  return kGood;
}

void say_fell_out(std::uint64_t fell_out) {
  if (fell_out > 0) complain("{} older entries fell out of the log, which keeps the last ones", fell_out);
}

// Changes wake it; what was refused is seen within a second.
int follow_log(LogReader& reader, const Machine& machine, bool json) {
  while (machine.is_up()) {
    const std::uint32_t seen = machine.changes();
    print_entries(reader.read(~std::uint64_t{0}), json);
    if (!finish_output()) return kFailed;
    machine.wait_for_change(seen, std::chrono::seconds(1));
  }
  print_entries(reader.read(~std::uint64_t{0}), json);
  return complain("the machine was taken down");
}

int Log::run() const {
  std::uint64_t most = ~std::uint64_t{0};
  if (count) {
    const auto number = whole_number(*count);
    if (!number) return misused(fmt::format("--lines takes a number, not '{}'", *count));
    most = *number;
  }
  auto machine = Machine::open(control::chosen_machine(machine_name));
  if (!machine) return complain(machine.error());
  std::uint64_t since_ns = 0;
  if (since) {
    const auto moment = read_moment(*since, machine->clock().now_ns);
    if (!moment) return misused("--since " + moment.error());
    since_ns = *moment;
  }
  std::optional<std::vector<std::uint32_t>> gpus;
  if (!gpu_selection.empty()) {
    auto chosen = control::select_gpus(*machine, gpu_selection);
    if (!chosen) return complain(chosen.error());
    gpus = std::move(*chosen);
  }
  LogReader reader = machine->log([&gpus, since_ns](const LogEntry& entry) {
    return entry.at_ns >= since_ns && (!gpus || std::ranges::find(*gpus, entry.target.gpu) != gpus->end());
  });
  if (json && !follow) return print_document(reader, most);
  const auto entries = reader.read(most);
  say_fell_out(reader.fell_out());
  print_entries(entries, json);
  return follow ? follow_log(reader, *machine, json) : kGood;
}

constexpr Example kLogExamples[] = {
    {"nvmlab log --machine ci", "everything that was asked of the machine, the oldest first"},
    {"nvmlab log --gpu 3 --since 10m -n 20", "the last 20 entries of GPU 3 of the last ten minutes"},
    {"nvmlab log --follow --json", "a line of JSON for each entry, as they come"},
};

}  // namespace

extern const Command kLog{
    .name = "log",
    .summary = "Show who changed what on a machine",
    .about =
        "Prints a line for each change that was made of a machine that is up, or refused: its number, when, the "
        "process and user that asked, the GPU, what was asked with its arguments, and the return code of what was "
        "refused. "
        "NVML's setters, nvidia-smi, `nvmlab set` and every other way to change a machine are there; a call that was "
        "refused "
        "before it asked for a change (a wrong argument, a lost GPU) is not.\n\n"
        "The log is kept in the machine and goes with it. It has room for some thousand entries; how many older ones "
        "fell out is said.",
    .examples = kLogExamples,
    .declare = declared<Log>,
    .not_in_scenarios = true,
};

}  // namespace nvmlab::tool
