// SPDX-License-Identifier: Apache-2.0
// nvmlab ls: the machines of this user that are up. Tests: tests/command/machines_test.cpp.
#include <chrono>
#include <ctime>

#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/json.hpp"
#include "control/machines.hpp"

namespace nvmlab::tool {
namespace {

std::string time_text(std::uint64_t ns, const char* format, bool utc) {
  const auto seconds = static_cast<std::time_t>(ns / 1'000'000'000u);
  std::tm parts{};
  if ((utc ? ::gmtime_r(&seconds, &parts) : ::localtime_r(&seconds, &parts)) == nullptr) return "?";
  char text[64];
  return {text, std::strftime(text, sizeof text, format, &parts)};
}

struct Ls {
  bool json = false;

  void declare(CommandLine& line) { add_json(line, json); }
  int run() const;
};

int Ls::run() const {
  const auto machines = control::list_machines();
  if (!machines) return complain(machines.error());
  if (json) {
    Json all = Json::array();
    for (const control::ListedMachine& machine : *machines) {
      Json row = {{"name", machine.name}, {"path", machine.path}};
      if (machine.problem.empty()) {
        row["profile"] = machine.profile;
        row["gpus"] = machine.gpus;
        row["since"] = time_text(machine.created_ns, "%Y-%m-%dT%H:%M:%SZ", true);
      } else {
        row["problem"] = machine.problem;
      }
      all.push_back(std::move(row));
    }
    print(std::string_view(text_of(all)));
    return kGood;
  }
  Table table({"NAME", "PROFILE", "GPUS", "SINCE", "PATH"});
  for (const control::ListedMachine& machine : *machines) {
    if (!machine.problem.empty()) continue;
    table.add({machine.name, machine.profile, std::to_string(machine.gpus),
               time_text(machine.created_ns, "%Y-%m-%d %H:%M:%S", false), machine.path});
  }
  if (!table.empty()) print(std::string_view(table.text()));
  for (const control::ListedMachine& machine : *machines) {
    if (!machine.problem.empty()) complain("{}: {}", machine.path, machine.problem);
  }
  if (machines->empty()) complain("no machine is up; `nvmlab up NAME --profile PROFILE` brings one up");
  return kGood;
}

}  // namespace

extern const Command kLs{
    .name = "ls",
    .summary = "List the machines that are up",
    .about = "Lists this user's machines that are up: name, profile, number of GPUs, when it came up, and its file.",
    .declare = declared<Ls>,
};

}  // namespace nvmlab::tool
