// SPDX-License-Identifier: Apache-2.0
// nvmlab play: plays scenarios, and says whether what they expect holds. Tests: tests/command/play_test.cpp.
#include <cstdlib>
#include <filesystem>
#include <span>

#include "base/write_file.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/library/child.hpp"
#include "command/machine/json.hpp"
#include "command/play/library.hpp"
#include "command/play/player.hpp"
#include "command/profile/chosen.hpp"
#include "command/profile/summary.hpp"
#include "control/machine.hpp"
#include "control/temporary_machine.hpp"

namespace nvmlab::tool {
namespace {

struct PlayCommand {
  std::vector<std::string> files;
  std::vector<std::string> client;
  std::string machine_name;
  std::optional<std::string> junit;
  bool list = false;
  bool json = false;

  void declare(CommandLine& line);
  int run() const;
  int play_all(const std::vector<Scenario>& scenarios, std::span<const compiler::Machine> machines) const;
  int write_documents(const std::vector<PlayReport>& reports) const;
};

void PlayCommand::declare(CommandLine& line) {
  line.argument("SCENARIO", files, "A file, or the name of a shipped scenario").complete(Complete::scenario);
  line.trailing_command("COMMAND", client,
                        "A client that is run on the machine at every step that shows something, and its arguments");
  add_machine(line, machine_name);
  line.flag("--list", list, "List the shipped scenarios");
  line.option("--junit", "FILE", junit, "Write a report in JUnit's XML to this file too").complete(Complete::file);
  add_json(line, json);
}

int list_scenarios(bool json) {
  Table table({"SCENARIO", "SOURCE", "ABOUT"});
  Json rows = Json::array();
  for (const ShippedScenario& shipped : shipped_scenarios()) {
    const auto scenario = load_scenario(std::string(shipped.name));
    if (!scenario) return complain("{}", scenario.error().front().text());
    const std::string sources = fmt::format("{}", fmt::join(scenario->sources, "; "));
    table.add({scenario->name, sources, scenario->about});
    rows.push_back({{"name", scenario->name}, {"sources", scenario->sources}, {"about", scenario->about}});
  }
  if (json) {
    print(std::string_view(text_of(rows)));
  } else {
    print(std::string_view(table.text()));
  }
  return kGood;
}

// Of a hostile file there may be a million.
void print_problems_of(const compiler::Problems& problems) {
  constexpr std::size_t kMost = 100;
  for (std::size_t i = 0; i < std::min(problems.size(), kMost); ++i) {
    if (problems[i].file.empty()) {
      complain(problems[i].message);
    } else {
      print_problem(problems[i].text());
    }
  }
  if (problems.size() > kMost) complain("more problems follow these {}", kMost);
}

// Plays one; `on` is the name by which programs find the machine.
void play_on(Machine& machine, const std::string& on, const HeldSignals& signals, const PlayOptions& options,
             PlayReport& report) {
  ::setenv("NVMLAB_MACHINE", on.contains('/') ? std::filesystem::absolute(on).c_str() : on.c_str(), 1);
  Player(*report.scenario, on, machine, signals, options).play(report);
}

std::string describe_own_machine(const Scenario& scenario, const compiler::Machine& machine) {
  const ClockBeginning& clock = scenario.machine.clock;
  std::string text = fmt::format("{}, {}; {} clock", machine.name, summary_of(machine), tool::name_of(clock.mode));
  if (clock.mode == ClockMode::scaled) text += " " + text_of_rate(clock.rate);
  return text + fmt::format(", seed {}", clock.seed);
}

void play_on_own_machine(const compiler::Machine& compiled, const HeldSignals& signals, const PlayOptions& options,
                         PlayReport& report) {
  auto own = control::TemporaryMachine::bring_up_as(report.scenario->name, compiled, report.scenario->machine.clock);
  if (!own) {
    report.failures = own.error();
    return;
  }
  play_on(own->machine(), own->name(), signals, options, report);
  if (const auto down = own->take_down(); !down) complain(down.error());
}

int PlayCommand::play_all(const std::vector<Scenario>& scenarios, std::span<const compiler::Machine> machines) const {
  const HeldSignals signals;  // from here on there is something to take down
  std::vector<PlayReport> reports;
  PlayOptions options{.client = client, .on_step = {}};
  if (!json)
    options.on_step = [](const StepReport& step) {
      print(std::string_view(text_of_step(step)));
      (void)finish_output();
    };
  bool passed = true;
  for (std::size_t i = 0; i < scenarios.size() && !HeldSignals::one_waits(); ++i) {
    PlayReport& report = reports.emplace_back();
    report.scenario = &scenarios[i];
    report.machine = machine_name.empty() ? describe_own_machine(scenarios[i], machines[i]) : machine_name;
    if (!json) print("{}{}", i == 0 ? "" : "\n", text_of_head(report));
    if (machine_name.empty()) {
      play_on_own_machine(machines[i], signals, options, report);
    } else if (auto machine = Machine::open(machine_name)) {
      play_on(*machine, machine_name, signals, options, report);
    } else {
      report.failures.push_back(machine.error());
    }
    if (!json) print(std::string_view(text_of_end(report)));
    passed = passed && report.passed();
  }
  const int written = write_documents(reports);
  (void)finish_output();  // a signal that waits ends this program next
  return passed ? written : kFailed;
}

int PlayCommand::write_documents(const std::vector<PlayReport>& reports) const {
  if (json) print(std::string_view(text_of(json_of_plays(reports))));
  if (!junit) return kGood;
  const std::string text = junit_of_plays(reports);
  const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
  constexpr unsigned kReadableByAll = 0644;
  const auto written = write_file(*junit, {bytes, bytes + text.size()}, kReadableByAll);
  return written ? kGood : complain(written.error());
}

int PlayCommand::run() const {
  if (list) return list_scenarios(json);
  if (files.empty()) return misused("'play' needs SCENARIO, a file or a name; `nvmlab play --list` lists the names");
  std::vector<Scenario> scenarios;
  std::vector<compiler::Machine> machines;
  bool good = true;
  for (const std::string& file : files) {
    auto scenario = load_scenario(file);
    if (!scenario) {
      print_problems_of(scenario.error());
      good = false;
      continue;
    }
    scenarios.push_back(std::move(*scenario));
    if (!machine_name.empty()) continue;
    const ScenarioMachine& wanted = scenarios.back().machine;
    auto machine = load_machine(wanted.profile, wanted.options);
    if (machine) {
      machines.push_back(std::move(*machine));
      continue;
    }
    good = false;
    for (const std::string& line : machine.error())
      print_problem(wanted.place.error(line).text());
  }
  return good ? play_all(scenarios, machines) : kMisused;
}

constexpr Example kPlayExamples[] = {
    {"nvmlab play --list", "what is shipped, and the public case that each was made from"},
    {"nvmlab play double-bit-ecc", "a shipped scenario; an hour of it takes less than a second"},
    {"nvmlab play drill.yaml --junit drill.xml", "one of your own, in CI: exit code 1 if an expectation does not hold"},
    {"nvmlab play thermal-slowdown -- nvidia-smi", "what nvidia-smi prints before, meanwhile and afterwards"},
};

}  // namespace

extern const Command kPlay{
    .name = "play",
    .summary = "Play scenarios, and check what they expect",
    .about =
        "A scenario is a YAML file: a machine, and steps that say when something happens to it, by the commands that "
        "nvmlab has, and what is expected then. Each is played on a machine of its own, which is taken down at the end "
        "also by a signal, or on one that is up (--machine). Its clock is virtual unless the file says otherwise: time "
        "passes at once, and two runs print the same.\n\n"
        "Exit code 1 says that an expectation does not hold or a command failed, 2 that a file is wrong; then nothing "
        "is played.",
    .examples = kPlayExamples,
    .declare = declared<PlayCommand>,
    .not_in_scenarios = true,
};

}  // namespace nvmlab::tool
