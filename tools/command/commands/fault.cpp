// SPDX-License-Identifier: Apache-2.0
// nvmlab fault: lets GPUs of a machine that is up fail. Tests: tests/command/fault_test.cpp.
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/chosen_gpus.hpp"
#include "command/machine/faults.hpp"
#include "command/machine/function_faults.hpp"
#include "command/machine/instances.hpp"
#include "compiler/return_codes.hpp"
#include "control/kernel_log.hpp"
#include "control/machines.hpp"
#include "control/refusals.hpp"

namespace nvmlab::tool {
namespace {

struct FaultCommand {
  std::vector<std::string> words;
  std::string machine_name;
  std::string gpu_selection = "all";
  InstanceOptions instances;
  std::optional<std::string> times;
  std::optional<std::string> kernel_log;
  FunctionFaultOptions of_call;

  void declare(CommandLine& line);
  int run() const;
  int fail_gpus() const;
  int fail_calls() const;
  int fail_init() const;
  std::expected<InjectFault, std::string> asked() const;
};

void FaultCommand::declare(CommandLine& line) {
  line.argument("FAULT", words, "One of the names above; some take a number or a place").required();
  add_machine(line, machine_name);
  add_gpu_selection(line, gpu_selection);
  instances.declare(line);
  line.option("--times", "N", times, "Let it happen N times; counters go up by as many (default: 1; of call: always)");
  line.option("--kernel-log", "FILE", kernel_log,
              "Append the kernel module's lines to this file or FIFO, or to /dev/kmsg (default: that of `up`)")
      .complete(Complete::file);
  of_call.declare(line);
}

std::expected<InjectFault, std::string> FaultCommand::asked() const {
  const auto fault = read_fault(words);
  if (!fault) return std::unexpected(fault.error());
  const FaultRow& row = *find_fault(fault->kind);
  if (row.number != FaultNumber::none && !fault->numbered)
    return std::unexpected(fmt::format("{} takes a {}, such as {}", row.name,
                                       row.number == FaultNumber::location ? "place" : "number",
                                       describe(fault->kind, row.number == FaultNumber::xid ? 79 : 0)));
  const auto about = instances.read();
  if (!about) return std::unexpected(about.error());
  if (const std::string option = of_call.any_given(); !option.empty())
    return std::unexpected(fmt::format("{} is for faults of functions: fault call FUNCTION", option));
  const auto often = whole_number(times.value_or("1"));
  if (!often || *often == 0 || *often > kMostTimes)
    return std::unexpected(fmt::format("--times takes a number from 1 to {}, not {}", kMostTimes, in_quotes(*times)));
  return InjectFault{fault->kind, fault->number, about->gpu, about->compute, static_cast<std::uint32_t>(*often)};
}

std::string refused(const control::LoggedChanges& made, const Change& change, const InjectFault& fault) {
  const std::string what = describe(fault.kind, fault.number);
  const std::string nothing = "; nothing was changed";
  if (made.code == kNotSupported)
    return fmt::format("GPU {}: its board has nothing that would show {}{}", change.target.gpu, what, nothing);
  if (made.code == kInvalidArgument) return fmt::format("GPU {}: there is no {}{}", change.target.gpu, what, nothing);
  if (made.code == kInsufficientResources)
    return fmt::format("GPU {}: it has {} faults, and no more can be; `nvmlab heal` ends some{}", change.target.gpu,
                       kMaxFaults, nothing);
  return control::refusal(made.code, change, what);
}

int FaultCommand::run() const {
  if (words.front() == "call") return fail_calls();
  return words.front() == "init" ? fail_init() : fail_gpus();
}

int FaultCommand::fail_calls() const {
  auto machine = Machine::open(control::chosen_machine(machine_name));
  if (!machine) return complain(machine.error());
  auto fault = of_call.read(words, times, machine->clock().now_ns);
  if (!fault) return misused(fault.error());
  std::vector<Change> changes;
  if (gpu_selection == "all") {
    changes.push_back(make_change(MachinePart::functions, FailFunction{*fault}));
  } else {
    const auto chosen = choose_gpus(machine_name, gpu_selection);
    if (!chosen) return complain(chosen.error());
    for (const std::uint32_t gpu : chosen->gpus) {
      fault->gpu = gpu;
      changes.push_back(make_change(MachinePart::functions, FailFunction{*fault}));
    }
  }
  const auto made = machine->apply(changes);
  if (made) return kGood;
  const Refusal& refused_change = made.error();
  if (refused_change.code == kInsufficientResources)
    return complain("{} functions have faults, and no more can; `nvmlab heal call` ends them; nothing was changed",
                    kMaxFunctionFaults);
  return complain(control::refusal(refused_change.code, changes[refused_change.change], words[1]));
}

int FaultCommand::fail_init() const {
  if (words.size() != 2) return misused("init takes the code that nvmlInit is to answer, such as DRIVER_NOT_LOADED");
  if (gpu_selection != "all") return misused("init fails for the machine as a whole; leave out --gpu");
  if (const std::string option = of_call.any_given(); !option.empty())
    return misused(fmt::format("{} is for faults of functions: fault call nvmlInit_v2", option));
  const auto code = compiler::find_return_code(words[1]);
  if (!code) return misused("init: " + code.error());
  auto machine = Machine::open(control::chosen_machine(machine_name));
  if (!machine) return complain(machine.error());
  const Change change = make_change(MachinePart::driver, FailInit{*code});
  const auto made = machine->apply(change);
  return made ? kGood : complain(control::refusal(made.error().code, change, "init"));
}

int FaultCommand::fail_gpus() const {
  const auto fault = asked();
  if (!fault) return misused(fault.error());
  auto chosen = choose_gpus(machine_name, gpu_selection);
  if (!chosen) return complain(chosen.error());
  auto log = control::kernel_log_of(chosen->machine, kernel_log);
  if (!log) return complain(log.error());
  const std::vector<Change> changes = chosen->changes(*fault);
  const control::LoggedChanges made = control::apply_logged(chosen->machine, changes, *log);
  if (made.code != kSuccess) return complain(refused(made, changes[made.failed], *fault));
  return made.log_problem.empty() ? kGood : complain(made.log_problem);
}

constexpr Example kFaultExamples[] = {
    {"nvmlab fault --gpu 3 xid 79", "GPU 3 falls off the bus: every call about it is answered GPU_IS_LOST"},
    {"nvmlab fault --gpu 0 xid 31 --gpu-instance 5", "a program's own mistake: an event, and nothing else changes"},
    {"nvmlab fault --gpu 0 ecc-uncorrected dram --kernel-log xids.log", "Xids 48, 63 and 94, counters, a row to remap"},
    {"nvmlab fault --gpu 1 nvlink-down 4", "until GPU 1 is reset, or healed"},
    {"nvmlab fault --gpu 3 call nvmlDeviceGetTemperature --answer GPU_IS_LOST --every 3", "each third call fails"},
    {"nvmlab fault call 'nvmlDeviceGet*' --slow 200ms --process nvidia-smi", "a driver that takes its time"},
    {"nvmlab fault call nvmlInit --hang", "programs hang where they begin, until `nvmlab heal call`"},
    {"nvmlab fault init LIB_RM_VERSION_MISMATCH", "as `nvmlab driver fail`"},
};

}  // namespace

extern const Command kFault{
    .name = "fault",
    .summary = "Let GPUs of a machine that is up fail",
    .about =
        "A fault does at once what it does on hardware: error counters, pending and failed flags, clocks and their "
        "reasons, the recovery action, events, and the kernel module's lines where a log is named. It lasts until it "
        "is healed as hardware heals it, by a reset for many, or by `nvmlab heal`.\n\n"
        "Faults are xid N, lost, missing, reset-required, ecc-corrected PLACE, ecc-uncorrected PLACE, ecc-uncontained "
        "PLACE, row-remap, row-remap-failed, page-retirement, nvlink-down LINK, nvlink-errors LINK, thermal-slowdown, "
        "power-brake, fan-stopped FAN, pcie-replays, pcie-degraded, fabric-degraded and memory-exhausted. A place is "
        "dram, sram, l1_cache, l2_cache, register_file, texture_memory, texture_shm or cbu. A board that has nothing "
        "to show a fault refuses it.\n\n"
        "call FUNCTION makes a function answer a code, take longer, or hang; FUNCTION is a name, also of its later "
        "versions, or a pattern such as 'nvmlDeviceGet*'. Each process counts its own calls. init CODE makes nvmlInit "
        "answer a code to whoever is not initialised.",
    .examples = kFaultExamples,
    .declare = declared<FaultCommand>,
};

}  // namespace nvmlab::tool
