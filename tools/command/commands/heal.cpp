// SPDX-License-Identifier: Apache-2.0
// nvmlab heal: ends faults of a machine that is up. Tests: tests/command/fault_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/chosen_gpus.hpp"
#include "command/machine/faults.hpp"
#include "command/machine/function_faults.hpp"
#include "control/kernel_log.hpp"
#include "control/refusals.hpp"

namespace nvmlab::tool {
namespace {

struct HealCommand {
  std::vector<std::string> words;
  std::string machine_name;
  std::string gpu_selection = "all";
  std::optional<std::string> kernel_log;

  void declare(CommandLine& line);
  int run() const;
  std::expected<HealFault, std::string> asked() const;
  // What is asked for, of a machine and these GPUs; an error is a misuse.
  std::expected<std::vector<Change>, std::string> changes(const ChosenGpus& chosen) const;
};

void HealCommand::declare(CommandLine& line) {
  line.argument("FAULT", words, "This fault alone, as `nvmlab fault` takes it; default: all");
  add_machine(line, machine_name);
  add_gpu_selection(line, gpu_selection);
  line.option("--kernel-log", "FILE", kernel_log, "As that of `nvmlab fault`").complete(Complete::file);
}

std::expected<HealFault, std::string> HealCommand::asked() const {
  if (words.empty()) return HealFault{true, FaultKind::xid, HealFault::kAnyNumber};
  const auto fault = read_fault(words);
  if (!fault) return std::unexpected(fault.error());
  return HealFault{false, fault->kind, fault->numbered ? fault->number : HealFault::kAnyNumber};
}

std::expected<std::vector<Change>, std::string> HealCommand::changes(const ChosenGpus& chosen) const {
  const bool of_all_gpus = gpu_selection == "all";
  const bool of_calls = !words.empty() && words.front() == "call";
  std::vector<Change> changes;
  if (!words.empty() && words.front() == "init") {
    if (words.size() > 1) return std::unexpected(fmt::format("'{}': init takes no second word", words[1]));
    changes.push_back(make_change(MachinePart::driver, FailInit{nvmlab::kSuccess}));
    return changes;
  }
  if (!of_calls) {
    const auto heal = asked();
    if (!heal) return std::unexpected(heal.error());
    for (const std::uint32_t gpu : chosen.gpus) {
      if (chosen.machine.has_gpu(gpu)) changes.push_back(make_change(gpu, *heal));
    }
    if (!words.empty()) return changes;
    if (of_all_gpus) changes.push_back(make_change(MachinePart::driver, FailInit{nvmlab::kSuccess}));
  }
  for (const std::uint32_t gpu : of_all_gpus ? std::vector{kAnyGpu} : chosen.gpus) {
    const auto heal = read_heal(of_calls ? words : std::vector<std::string>{"call"}, gpu);
    if (!heal) return std::unexpected(heal.error());
    changes.push_back(make_change(MachinePart::functions, *heal));
  }
  return changes;
}

int HealCommand::run() const {
  auto chosen = choose_gpus(machine_name, gpu_selection);
  if (!chosen) return complain(chosen.error());
  const auto wanted = changes(*chosen);
  if (!wanted) return misused(wanted.error());
  auto log = control::kernel_log_of(chosen->machine, kernel_log);
  if (!log) return complain(log.error());
  const control::LoggedChanges made = control::apply_logged(chosen->machine, *wanted, *log);
  const std::string what = fmt::format("{}", fmt::join(words, " "));
  if (made.code == nvmlab::kNotFound) {
    const ChangeTarget target = (*wanted)[made.failed].target;
    return complain("{} not have the fault {}; `nvmlab status` lists those that there are",
                    target.is_gpu() ? fmt::format("GPU {}: it does", target.gpu) : "functions do", what);
  }
  if (made.code != kSuccess) return complain(control::refusal(made.code, (*wanted)[made.failed], what));
  return made.log_problem.empty() ? kGood : complain(made.log_problem);
}

constexpr Example kHealExamples[] = {
    {"nvmlab heal --gpu 3", "GPU 3 has no fault any more"},
    {"nvmlab heal --gpu 1 nvlink-down 4", "this one alone; others stay"},
    {"nvmlab heal call nvmlInit", "calls that hang go on at once"},
};

}  // namespace

extern const Command kHeal{
    .name = "heal",
    .summary = "End faults of a machine that is up",
    .about =
        "Ends faults as if the part had been repaired or replaced: what a fault affected becomes what it would be "
        "without the fault, including what was set in the meantime; nothing else changes. Counters stay where they "
        "are, as on hardware; resets and nvidia-smi -p clear them.\n\n"
        "Without a FAULT, those of functions end too: of calls about GPUs that --gpu names, or of all calls, and "
        "nvmlInit succeeds again.",
    .examples = kHealExamples,
    .declare = declared<HealCommand>,
};

}  // namespace nvmlab::tool
