// SPDX-License-Identifier: Apache-2.0
// nvmlab driver: unloads, loads and breaks the driver of a machine that is up. Tests: tests/command/driver_test.cpp.
#include "control/driver.hpp"
#include "base/nearest.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/json.hpp"
#include "compiler/return_codes.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"
#include "control/refusals.hpp"

namespace nvmlab::tool {
namespace {

struct DriverCommand {
  std::vector<std::string> words;
  std::string machine_name;
  bool force = false;
  bool json = false;

  void declare(CommandLine& line);
  int run() const;
  std::expected<std::vector<Change>, std::string> asked() const;
};

void DriverCommand::declare(CommandLine& line) {
  line.argument("ACTION", words, "load, unload, reload, fail CODE or heal; without one it is shown")
      .complete(Complete::driver_action);
  add_machine(line, machine_name);
  line.flag("-f,--force", force, "Unload it even if it is in use");
  add_json(line, json);
}

std::expected<std::vector<Change>, std::string> DriverCommand::asked() const {
  const std::string& action = words.front();
  const Change unload = make_change(MachinePart::driver, UnloadDriver{force ? 1u : 0u});
  const bool fails = action == "fail";
  if (fails && words.size() < 2) return std::unexpected("fail takes the code that nvmlInit is to answer");
  if (words.size() > (fails ? 2 : 1))
    return std::unexpected(
        fmt::format("{}: {} takes no{} word", in_quotes(words.back()), action, fails ? " second" : ""));
  if (action == "load") return std::vector{make_change(MachinePart::driver, LoadDriver{})};
  if (action == "unload") return std::vector{unload};
  if (action == "reload") return std::vector{unload, make_change(MachinePart::driver, LoadDriver{})};
  if (action == "heal") return std::vector{make_change(MachinePart::driver, FailInit{kSuccess})};
  if (fails) {
    const auto code = compiler::find_return_code(words[1]);
    if (!code) return std::unexpected("fail: " + code.error());
    return std::vector{make_change(MachinePart::driver, FailInit{*code})};
  }
  return std::unexpected(fmt::format("there is no {} for a driver; {}", in_quotes(action),
                                     hint(action, {"load", "unload", "reload", "fail", "heal"}, "words")));
}

std::string busy(const std::vector<std::string>& users) {
  constexpr std::size_t kShown = 4;
  std::string text = "the driver is in use: ";
  for (std::size_t i = 0; i < users.size() && i < kShown; ++i)
    text += (i == 0 ? "" : ", ") + users[i];
  if (users.size() > kShown) text += fmt::format(" and {} more", users.size() - kShown);
  return text + "; --force unloads it all the same";
}

std::string refused(Code code, const std::string& action, const Change& change) {
  if (code == kInvalidState && action == "load") return "the driver is loaded already";
  if (code == kInvalidState) return "the driver is not loaded; `nvmlab driver load` loads it";
  return control::refusal(code, change, action);
}

void show(const control::DriverState& driver, bool json) {
  const Code answer = driver.init_answer;
  const std::string code = answer == kSuccess ? "SUCCESS" : compiler::return_code_name(answer);
  if (json) {
    const Json all = {{"version", driver.version}, {"loaded", driver.loaded}, {"init", code}, {"loads", driver.loads}};
    return print(std::string_view(text_of(all)));
  }
  Table table({"", ""});
  table.add({"version", driver.version});
  table.add({"driver", driver.loaded ? "loaded" : "not loaded"});
  table.add({"nvmlInit", "answers " + code});
  print(std::string_view(table.text()));
}

int DriverCommand::run() const {
  std::vector<Change> changes;
  if (!words.empty()) {
    auto read = asked();
    if (!read) return misused(read.error());
    changes = std::move(*read);
  }
  auto machine = Machine::open(control::chosen_machine(machine_name));
  if (!machine) return complain(machine.error());
  const bool unloads = !changes.empty() && holds<UnloadDriver>(changes.front());
  if (unloads && !force && control::driver_state(*machine).loaded) {
    if (const auto users = control::driver_users(*machine); !users.empty()) return complain(busy(users));
  }
  for (const Change& change : changes) {
    const auto made = machine->apply(change);
    if (made) continue;
    if (made.error().code == kInUse) return complain(busy(control::driver_users(*machine)));  // a user came since then
    return complain(refused(made.error().code, words.front(), change));
  }
  if (changes.empty() || json) show(control::driver_state(*machine), json);
  return kGood;
}

constexpr Example kDriverExamples[] = {
    {"nvmlab driver", "whether it is loaded, and what nvmlInit answers"},
    {"nvmlab driver reload --force", "GPUs are initialised anew; programs lose the ones that they have"},
    {"nvmlab driver unload", "nvidia-smi cannot communicate with the driver"},
    {"nvmlab driver fail LIB_RM_VERSION_MISMATCH", "as after an update of the driver without a reboot"},
};

}  // namespace

extern const Command kDriver{
    .name = "driver",
    .summary = "Unload, load and break the driver of a machine that is up",
    .about =
        "Unloading the driver takes all GPUs away: nvmlInit answers DRIVER_NOT_LOADED, and programs that were "
        "initialised before get GPU_IS_LOST until they start over. Loading it initialises each GPU anew, under a new "
        "handle: settings that live in the driver go back to their defaults, pending ones come into force, volatile "
        "counters and processes are gone, and what is kept on the board stays. A GPU that was removed before stays "
        "removed.\n\n"
        "As with rmmod, a driver is not unloaded while it is in use: by programs that have the machine open, by "
        "processes on a GPU, or by persistence mode. --force unloads it as if all of them had been stopped.\n\n"
        "fail CODE makes nvmlInit answer that return code to programs that are not initialised yet, until heal.",
    .examples = kDriverExamples,
    .declare = declared<DriverCommand>,
};

}  // namespace nvmlab::tool
