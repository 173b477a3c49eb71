// SPDX-License-Identifier: Apache-2.0
// nvmlab event: raises an event of a machine that is up. Tests: tests/command/event_test.cpp.
#include "base/text.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/chosen_gpus.hpp"
#include "command/machine/events.hpp"
#include "command/machine/instances.hpp"
#include "control/kernel_log.hpp"
#include "control/refusals.hpp"
#include "engine/topics/events/event_types.hpp"

namespace nvmlab::tool {
namespace {

struct EventCommand {
  std::vector<std::string> words;
  std::string machine_name;
  std::string gpu_selection = "all";
  InstanceOptions instances;
  std::optional<std::string> kernel_log;

  void declare(CommandLine& line);
  int run() const;
  std::expected<RaiseEvent, std::string> asked() const;
};

void EventCommand::declare(CommandLine& line) {
  line.argument("EVENT", words, "One of the names above; xid takes the number of the Xid").required();
  add_machine(line, machine_name);
  add_gpu_selection(line, gpu_selection);
  instances.declare(line);
  line.option("--kernel-log", "FILE", kernel_log, "As that of `nvmlab fault`").complete(Complete::file);
}

std::expected<RaiseEvent, std::string> EventCommand::asked() const {
  const auto name = find_event(words.front());
  if (!name) return std::unexpected(name.error());
  const bool xid = (*name)->type == kXidEvent && !(*name)->of_machine;
  if (xid && words.size() != 2) return std::unexpected("xid takes the number of the Xid, such as xid 79");
  if (!xid && words.size() != 1)
    return std::unexpected(fmt::format("'{}': {} takes no number", words[1], words.front()));
  const auto number = xid ? whole_number(words[1]) : std::uint64_t{0};
  if (!number) return std::unexpected(fmt::format("'{}' is no number of an Xid", words[1]));
  const auto about = instances.read();
  if (!about) return std::unexpected(about.error());
  return RaiseEvent{(*name)->type, *number, about->gpu, about->compute, (*name)->of_machine};
}

int EventCommand::run() const {
  const auto event = asked();
  if (!event) return misused(event.error());
  auto chosen = choose_gpus(machine_name, gpu_selection);
  if (!chosen) return complain(chosen.error());
  auto log = control::kernel_log_of(chosen->machine, kernel_log);
  if (!log) return complain(log.error());
  const std::vector<Change> changes = chosen->changes(*event);
  const control::LoggedChanges made = control::apply_logged(chosen->machine, changes, *log);
  if (made.code == kNotSupported)
    return complain("GPU {}: its board reports no {}; nothing was raised", changes[made.failed].target.gpu,
                    words.front());
  if (made.code != kSuccess) return complain(control::refusal(made.code, changes[made.failed], words.front()));
  return made.log_problem.empty() ? kGood : complain(made.log_problem);
}

constexpr Example kEventExamples[] = {
    {"nvmlab event --gpu 3 xid 79", "whoever waits for critical errors of GPU 3 gets one"},
    {"nvmlab event --gpu 0 double-bit-ecc", "an error that ECC could not correct; its counters stay as they are"},
};

}  // namespace

extern const Command kEvent{
    .name = "event",
    .summary = "Raise an event of a machine that is up",
    .about =
        "Raises an event. Every process that registered for it (nvmlDeviceRegisterEvents, nvmlSystemRegisterEvents) "
        "gets it, at once or when it next waits. The state of the GPU stays as it is. An Xid is also a line of the "
        "kernel's log where the machine has one.\n\n"
        "Events are xid N, single-bit-ecc, double-bit-ecc, pstate, clock, mig-config, single-bit-ecc-storm, "
        "dram-retirement, dram-retirement-failure, non-fatal-poison, fatal-poison, gpu-unavailable, recovery-action, "
        "and of the machine driver-unbind and driver-bind. An event that the board never reports is refused.",
    .examples = kEventExamples,
    .declare = declared<EventCommand>,
};

}  // namespace nvmlab::tool
