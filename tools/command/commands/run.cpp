// SPDX-License-Identifier: Apache-2.0
//
// nvmlab run: sets the environment that makes a program find the simulated driver, and becomes that program, so that
// exit code, signals, terminal and process id are the program's own. With --share the program runs below it, as there
// is a machine to take down afterwards. Tests: tests/command/run_test.cpp, tests/command/run_share_test.cpp.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/nearest.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/library/child.hpp"
#include "command/library/cudart.hpp"
#include "command/library/environment.hpp"
#include "command/library/execute.hpp"
#include "command/library/simulated.hpp"
#include "command/machine/clocks.hpp"
#include "command/machine/kernel_options.hpp"
#include "command/profile/chosen.hpp"
#include "command/profile/sources.hpp"
#include "command/profile/summary.hpp"
#include "compiler/return_codes.hpp"
#include "control/calls.hpp"
#include "control/driver.hpp"
#include "control/leftovers.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"
#include "control/temporary_machine.hpp"
#include "engine/store/driver_version.hpp"
#include "engine/store/role.hpp"

namespace nvmlab::tool {
namespace {

namespace fs = std::filesystem;

void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

// Each of these takes a word of the command line, or says what is wrong with it.
using Word = std::optional<std::string>;

// off, error, info or trace, and where to: "trace:/tmp/calls".
std::string take_log_level(const std::string& word, Word& log) {
  constexpr std::string_view kLevels[] = {"off", "error", "info", "trace"};
  if (std::ranges::find(kLevels, word.substr(0, word.find(':'))) == std::end(kLevels)) {
    return fmt::format("--log {}: off, error, info or trace was expected, optionally with a file: trace:FILE",
                       in_quotes(word));
  }
  log = word;
  return "";
}

std::string take_role(const std::string& word, Word& role) {
  Role found{};
  if (!find_role(word.c_str(), &found))
    return fmt::format("--role {}: {} was expected", in_quotes(word), kExpectedRole);
  role = word;
  return "";
}

// A code by which nvmlInit can fail, as a number.
std::string take_failure(const std::string& word, Word& init_error) {
  const auto code = compiler::find_return_code(word);
  if (code && *code <= 999) {
    init_error = std::to_string(*code);
    return "";
  }
  if (code || word == "0" || word.ends_with("SUCCESS"))
    return fmt::format("--init-error {}: a code of failure was expected, up to 999", word);
  return "--init-error: " + code.error();
}

// `driver` becomes the one whose library programs get: that of the machine, so that they find the functions that it has
// and miss those that it lacks.
int share_machine(const std::string& name, std::string& driver) {
  auto machine = Machine::open(name);
  if (!machine) return complain(machine.error());
  driver = control::driver_version(*machine);
  // The program may change its folder before it looks.
  set("NVMLAB_MACHINE", name.find('/') == std::string::npos ? name : fs::absolute(name).string());
  return kGood;
}

int private_machine(std::optional<std::string> profile, const compiler::CompileOptions& options, std::string& driver) {
  if (!profile) profile = variable("NVMLAB_PROFILE");
  const auto mock_config = variable("MOCK_NVML_CONFIG");
  if (!profile && mock_config) {
    const auto found = driver_of_mock_config(*mock_config);
    if (!found) return complain_all(found.error());
    driver = *found;
  } else {
    const auto found = profile_for_driver(profile.value_or(control::kDefaultProfile), options);
    if (!found) return complain_all(found.error());
    if (profile) set("NVMLAB_PROFILE", found->name);
    driver = found->driver;
  }
  if (options.gpus) set("NVMLAB_GPUS", std::to_string(*options.gpus));
  if (options.driver) set("NVMLAB_DRIVER", *options.driver);
  for (const char* name : {"MOCK_NVML_DRIVER_VERSION", "NVMLAB_DRIVER"}) {
    if (const auto wanted = variable(name)) driver = *wanted;
  }
  return kGood;
}

// Of the node that the environment describes by now.
std::uint32_t simulated_branch() {
  std::string version = variable("NVMLAB_DRIVER").value_or("");
  if (const auto name = variable("NVMLAB_MACHINE")) {
    if (const auto machine = Machine::open(*name)) version = control::driver_version(*machine);
  } else if (version.empty()) {
    if (const auto machine = load_machine(variable("NVMLAB_PROFILE").value_or(control::kDefaultProfile), {}))
      version = driver_of(*machine);
  }
  return driver_release(driver_row(version.c_str())).major;
}

struct RunCommand {
  std::optional<std::string> profile;
  compiler::CompileOptions options;
  std::optional<std::string> machine;
  std::optional<std::string> share;  // the name of a machine to bring up; empty: none that anybody knows
  ClockOptions clock;                // of that machine
  bool no_driver = false;
  std::optional<std::string> init_error;
  std::optional<std::string> role;
  std::optional<std::string> log;
  std::optional<std::string> record;
  std::optional<std::string> cudart;
  KernelOptions kernels;
  std::vector<std::string> command;

  void declare(CommandLine& line);
  int run() const;

  std::string contradiction() const;
  int run_on_own_machine() const;
  int prepare(const std::string& driver) const;
};

void RunCommand::declare(CommandLine& line) {
  line.command("COMMAND", command, "The program and its arguments").required().complete(Complete::command);
  add_profile(line, profile);
  add_compile_options(line, options);
  line.option("--machine,-m", "NAME", machine, "Run on this machine, which `nvmlab up` brought up and processes share")
      .complete(Complete::machine);
  line.optional_value("--share", "NAME", share,
                      "Bring up a machine that all processes of the command share, and take it down when the command "
                      "ends; others reach it by its name");
  clock.declare(line);
  line.flag("--no-driver", no_driver,
            "Simulate a machine without a driver: nvmlInit returns DRIVER_NOT_LOADED every time");
  line.option(
      "--init-error", "CODE", [this](const std::string& word) { return take_failure(word, init_error); },
      "Make nvmlInit fail with this code, such as LIB_RM_VERSION_MISMATCH or 18; --no-driver is "
      "DRIVER_NOT_LOADED");
  line.option(
          "--role", "ROLE", [this](const std::string& word) { return take_role(word, role); },
          "Privilege that the program is treated as having: root, user, or a user with the capabilities of MIG, "
          "mig-config, "
          "mig-monitor or both with a comma; without it, that of the user who runs it")
      .complete(Complete::role);
  line.option(
          "--log,-l", "LEVEL", [this](const std::string& word) { return take_log_level(word, log); },
          "How much the simulated driver logs on standard error: off, error, info or trace (each call); trace:FILE "
          "writes to a file")
      .complete(Complete::log_level);
  line.option("--record-calls", "FILE", record, "Record each call of the driver in this file; `nvmlab calls` reads it")
      .complete(Complete::file);
  line.option(
          "--cudart", "MAJOR", [this](const std::string& word) { return take_cudart(word, cudart); },
          "Give programs that are linked to the shared CUDA runtime (libcudart.so) one of ours: 12 or 13")
      .complete(Complete::cudart);
  kernels.declare(line);
}

// Of options that cannot be used together; empty where there is none.
std::string RunCommand::contradiction() const {
  if (no_driver && init_error)
    return "--no-driver and --init-error cannot be used together: both say how nvmlInit fails";
  if (machine && share) return "--machine and --share cannot be used together: a machine is up, or is brought up";
  const char* const timing = clock.mode ? "--clock" : clock.scale ? "--scale" : clock.seed ? "--seed" : nullptr;
  if (!share && timing != nullptr)
    return fmt::format("{} is for a machine that is brought up: with --share, or by `nvmlab up`", timing);
  const char* const describing = profile          ? "--profile"
                                 : options.gpus   ? "--gpus"
                                 : options.driver ? "--driver"
                                                  : nullptr;
  if (!machine || describing == nullptr) return "";
  return fmt::format(
      "--machine and {} cannot be used together: a machine that is up has its profile, GPUs and driver already",
      describing);
}

// Of what is left of the environment when the node is known.
int RunCommand::prepare(const std::string& driver) const {
  if (const auto folder = variable("NVMLAB_RUNTIME_DIR")) set("NVMLAB_RUNTIME_DIR", fs::absolute(*folder).string());
  ::unsetenv("NVMLAB_LIBRARY");  // programs on the C++ library look where all others do
  if (log) set("NVMLAB_LOG", *log);
  if (record) {
    if (const auto begun = control::begin_record(*record); !begun) return complain("--record-calls {}", begun.error());
    set(control::kRecordVariable, fs::absolute(*record).string());
  }
  if (const int code = kernels.prepare(); code != kGood) return code;
  if (role) set("NVMLAB_ROLE", *role);
  if (no_driver) set("NVMLAB_INIT_ERROR", "9");
  if (init_error) set("NVMLAB_INIT_ERROR", *init_error);
  const auto library = library_folder_of_driver(driver);
  if (!library) return complain(library.error());
  prepend_path("LD_LIBRARY_PATH", *library);
  return prepare_cudart(cudart, driver);
}

int RunCommand::run_on_own_machine() const {
  const auto beginning = clock.read();
  if (!beginning) return misused(beginning.error());
  const auto chosen = load_chosen_machine(profile, options);
  if (!chosen) return complain_all(chosen.error());
  complain_all(chosen->notes);
  const HeldSignals signals;  // from here on there is something to take down
  auto own = control::TemporaryMachine::bring_up(share->empty() ? std::nullopt : share, chosen->machine, *beginning);
  if (!own) return complain_all(own.error());
  complain_all(make_changes(*chosen, own->machine()));
  std::string driver;
  int code = share_machine(own->name(), driver);
  if (code == kGood) code = prepare(driver);
  const int status = code == kGood ? signals.run_child([this] { return execute(command, simulated_branch); }) : 0;
  if (const auto down = own->take_down(); !down) complain(down.error());
  if (status < 0) return complain("a process for {}: {}", command[0], std::strerror(-status));
  return code == kGood ? end_as(status) : code;
}

int RunCommand::run() const {
  if (const std::string wrong = contradiction(); !wrong.empty()) return misused(wrong);
  if (share) return run_on_own_machine();
  std::string driver;
  std::optional<std::string> shared = machine;
  if (!shared && !profile && !options.gpus && !options.driver) shared = variable("NVMLAB_MACHINE");
  if (shared) {
    if (const int code = share_machine(*shared, driver); code != kGood) return code;
  } else {
    ::unsetenv("NVMLAB_MACHINE");
    if (const int code = private_machine(profile, options, driver); code != kGood) return code;
    control::sweep_machines_folder();
  }
  if (const int code = prepare(driver); code != kGood) return code;
  return execute(command, simulated_branch);
}

constexpr Example kRunExamples[] = {
    {"nvmlab run --profile dgx-h100 -- nvidia-smi", "the table of eight simulated H100s"},
    {"nvmlab run --gpus 64 --driver 550 -- nvidia-smi -L", "sixty-four A100s on a driver of the 550 branch"},
    {"nvmlab run --machine ci -- nvidia-smi -pl 300 -i 0", "on a machine that is up; other programs see the new limit"},
    {"nvmlab run --share --gpus 2 -- ./test.sh", "what one program of the script sets, the others see"},
    {"nvmlab run --share --clock virtual --seed 7 -- ./test.sh",
     "time passes with `nvmlab clock advance` in the script alone; every run is the same"},
    {"nvmlab run --role user -- nvidia-smi -pl 300", "refused for lack of permission, even if root runs it"},
    {"nvmlab run --cudart 12 -- ./vector_add",
     "with a CUDA runtime of ours, as NVIDIA's talks to NVIDIA's driver alone"},
    {"nvmlab run --record-calls calls -- nvidia-smi -L", "`nvmlab calls` shows what it asked"},
    {"nvmlab run --record-kernels launches -- ./program", "`nvmlab kernels` shows which CUDA kernels it launched"},
    {"nvmlab run --no-driver -- nvidia-smi", "what it prints if the driver is not loaded; exit code 9"},
};

}  // namespace

extern const Command kRun{
    .name = "run",
    .summary = "Run a command on a simulated node",
    .about =
        "Runs COMMAND with the simulated driver in place of NVIDIA's. nvmlab replaces itself with the command, so exit "
        "code, signals and terminal are the command's own.\n\n"
        "Without options the node is a DGX A100 with eight GPUs. Every process gets a node of its own, in the state "
        "that the profile describes; with --machine they share one. --share brings one up for the command and all that "
        "it starts, and takes it down when the command ends, also by a signal; what still runs then loses its GPUs. "
        "Signals sent to nvmlab go to the command.\n\n"
        "A profile that is wrong is reported before anything runs. Where the PATH has no nvidia-smi, one that "
        "scripts/fetch-clients (and so `make demo`) fetched is run, and named on standard error.",
    .examples = kRunExamples,
    .declare = declared<RunCommand>,
    .not_in_scenarios = true,
};

}  // namespace nvmlab::tool
