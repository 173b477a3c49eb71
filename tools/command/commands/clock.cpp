// SPDX-License-Identifier: Apache-2.0
// nvmlab clock: shows the clock of a machine that is up, and sets it. Tests: tests/command/clock_test.cpp.
#include "base/duration.hpp"
#include "base/nearest.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/clocks.hpp"
#include "command/machine/json.hpp"
#include "command/machine/moments.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"
#include "control/refusals.hpp"
#include "control/status.hpp"

namespace nvmlab::tool {
namespace {

struct ClockCommand {
  std::vector<std::string> words;
  std::string machine_name;
  bool json = false;

  void declare(CommandLine& line);
  int run() const;
  std::expected<Change, std::string> asked() const;
};

void ClockCommand::declare(CommandLine& line) {
  line.argument("ACTION", words,
                "real, scaled FACTOR, frozen (or freeze), resume, virtual or advance TIME; without one it is shown")
      .complete(Complete::clock_action);
  add_machine(line, machine_name);
  add_json(line, json);
}

// The word behind an action that takes one.
std::expected<std::string, std::string> amount(const std::vector<std::string>& words, const char* what) {
  if (words.size() < 2) return std::unexpected(fmt::format("{} takes {}", words.front(), what));
  return words[1];
}

std::expected<Change, std::string> ClockCommand::asked() const {
  const std::string& action = words.front();
  const bool takes_amount = action == "scaled" || action == "advance";
  if (words.size() > (takes_amount ? 2 : 1))
    return std::unexpected(
        fmt::format("{}: {} takes no{} word", in_quotes(words.back()), action, takes_amount ? " second" : ""));
  if (action == "real") return make_change(MachinePart::clock, SetMachineClock{ClockMode::real, kRealRate});
  if (action == "frozen" || action == "freeze")
    return make_change(MachinePart::clock, SetMachineClock{ClockMode::frozen, kRealRate});
  if (action == "virtual") return make_change(MachinePart::clock, SetMachineClock{ClockMode::virtual_time, kRealRate});
  if (action == "resume") return make_change(MachinePart::clock, ResumeMachineClock{});
  if (action == "scaled") {
    const auto word = amount(words, "a factor, such as scaled 60");
    if (!word) return std::unexpected(word.error());
    const auto rate = read_rate(*word);
    if (!rate) return std::unexpected("scaled " + rate.error());
    return make_change(MachinePart::clock, SetMachineClock{ClockMode::scaled, *rate});
  }
  if (action == "advance") {
    const auto word = amount(words, "a span of time, such as advance 1h30m");
    if (!word) return std::unexpected(word.error());
    const auto by_ns = parse_duration(*word);
    if (!by_ns) return std::unexpected("advance " + by_ns.error());
    return make_change(MachinePart::clock, AdvanceMachineClock{*by_ns});
  }
  return std::unexpected(
      fmt::format("there is no {} for a clock; {}", in_quotes(action),
                  hint(action, {"real", "scaled", "frozen", "freeze", "resume", "virtual", "advance"}, "words")));
}

void show(const Machine& machine, bool json) {
  const ClockReading reading = machine.clock();
  const ClockSegment& segment = reading.segment;
  const bool frozen = segment.mode == ClockMode::frozen;
  const bool scaled = (frozen ? segment.resumes : segment.mode) == ClockMode::scaled;
  if (json) {
    Json all = {{"mode", name_of(segment.mode)}, {"time_ns", reading.now_ns}};
    if (scaled) all["scale"] = static_cast<double>(segment.rate) / kRealRate;
    if (frozen) all["resumes"] = name_of(segment.resumes);
    all["seed"] = control::seed_of(machine);
    return print(std::string_view(text_of(all)));
  }
  Table table({"", ""});
  table.add({"mode", std::string(name_of(segment.mode))});
  table.add({"time", local_time(reading.now_ns)});
  if (scaled) table.add({"scale", text_of_rate(segment.rate)});
  if (frozen) table.add({"resumes", std::string(name_of(segment.resumes))});
  table.add({"seed", fmt::format("{}", control::seed_of(machine))});
  print(std::string_view(table.text()));
}

std::string refused(Code code, const Machine& machine, const std::vector<std::string>& words, const Change& change) {
  const ClockReading reading = machine.clock();
  if (code == kInvalidState && words.front() == "resume")
    return fmt::format("resume: the clock is {}, not frozen; nothing was changed", name_of(reading.segment.mode));
  if (code == kInvalidState)
    return "advance: the clock is frozen; `nvmlab clock resume` lets it go on, and a virtual clock can be advanced";
  if (code == kInvalidArgument)
    return fmt::format("advance {}: a clock ends at {}, and this one shows {}; nothing was changed",
                       in_quotes(words.back()), local_time(kLastTime), local_time(reading.now_ns));
  return control::refusal(code, change, words.front());
}

int ClockCommand::run() const {
  std::optional<Change> change;
  if (!words.empty()) {
    const auto read = asked();
    if (!read) return misused(read.error());
    change = *read;
  }
  auto machine = Machine::open(control::chosen_machine(machine_name));
  if (!machine) return complain(machine.error());
  if (change) {
    if (const auto made = machine->apply(*change); !made)
      return complain(refused(made.error().code, *machine, words, *change));
  }
  if (!change || json) show(*machine, json);
  return kGood;
}

constexpr Example kClockExamples[] = {
    {"nvmlab clock", "which clock it is, what time it shows, and the seed of the machine"},
    {"nvmlab clock virtual", "from now on time passes when it is told to"},
    {"nvmlab clock advance 1h", "an hour passes at once"},
    {"nvmlab clock scaled 60", "a minute on the machine takes a second"},
};

}  // namespace

extern const Command kClock{
    .name = "clock",
    .summary = "Show and set the clock of a machine that is up",
    .about =
        "What NVML tells as a time is the machine's own time: stamps of events, samples and field values, when a "
        "process began, how long a GPU is up. It runs as the host's does (real), faster or slower (scaled), stands "
        "until it is resumed (frozen), or passes only when it is advanced (virtual). It never goes backwards: a real "
        "clock that has been ahead of the host stays ahead, and one that lies behind jumps to the host's time.\n\n"
        "Times are numbers with a unit of ns, us, ms, s, m, h or d, such as 250ms or 1h30m. How long a program waits, "
        "for an event or a lock, is time of the host whatever the clock shows.",
    .examples = kClockExamples,
    .declare = declared<ClockCommand>,
};

}  // namespace nvmlab::tool
