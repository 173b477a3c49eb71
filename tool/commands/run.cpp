// SPDX-License-Identifier: Apache-2.0
//
// nvmlab run: sets the environment that makes a program find the simulated driver, and becomes that program, so that
// exit code, signals, terminal and process id are the program's own. Tests: tests/tool/run_test.cpp.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/nearest.hpp"
#include "compiler/return_codes.hpp"
#include "tool/commands/run_functions.hpp"
#include "tool/library.hpp"
#include "tool/machines.hpp"
#include "tool/output.hpp"
#include "tool/sources.hpp"

namespace nvmlab::tool {
namespace {

namespace fs = std::filesystem;

void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

// off, error, info or trace, and where to: "trace:/tmp/calls".
std::expected<void, std::string> check_log(const std::string& text) {
  const std::string level = text.substr(0, text.find(':'));
  for (const char* known : {"off", "error", "info", "trace"}) {
    if (level == known) return {};
  }
  return std::unexpected(fmt::format(
      "--log {}: off, error, info or trace was expected, optionally with a file: trace:FILE", in_quotes(text)));
}

// What nvmlInit is to answer in place of success, as a number; nothing where it is to succeed.
std::expected<std::optional<std::string>, std::string> init_error(const Arguments& arguments) {
  const auto wanted = arguments.option("--init-error");
  if (arguments.flag("--no-driver")) {
    if (wanted) return std::unexpected("--no-driver and --init-error exclude each other: both say how nvmlInit fails");
    return "9";
  }
  if (!wanted) return std::nullopt;
  const auto code = compiler::find_return_code(*wanted);
  if (code && *code <= 999) return std::to_string(*code);
  if (code || *wanted == "0" || wanted->ends_with("SUCCESS")) {
    return std::unexpected(fmt::format("--init-error {}: a code of failure was expected, up to 999", *wanted));
  }
  return std::unexpected("--init-error: " + code.error());
}

void prepend_library_path(const std::string& folder) {
  const auto present = variable("LD_LIBRARY_PATH");
  if (present && (*present == folder || present->starts_with(folder + ":"))) return;
  set("LD_LIBRARY_PATH", present ? folder + ":" + *present : folder);
}

// The driver whose library programs get; none: the library that exports everything.
using ChosenDriver = std::optional<std::string>;

int share_machine(const std::string& name, ChosenDriver& driver) {
  auto machine = OpenMachine::open(name);
  if (!machine) return complain(machine.error());
  driver = consistent(machine->store().node, [](const Node& node) { return driver_of_own_exports(node); });
  // The program may change its folder before it looks.
  set("NVMLAB_MACHINE", name.find('/') == std::string::npos ? name : fs::absolute(name).string());
  return kGood;
}

int private_machine(const Arguments& arguments, const compiler::CompileOptions& options, ChosenDriver& driver) {
  auto profile = arguments.option("--profile");
  if (!profile) profile = variable("NVMLAB_PROFILE");
  if (profile) {
    const auto found = profile_for_driver(*profile, options);
    if (!found) return complain_all(found.error());
    set("NVMLAB_PROFILE", found->name);
    driver = found->own_exports;
  }
  if (options.gpus) set("NVMLAB_GPUS", std::to_string(*options.gpus));
  if (options.driver) set("NVMLAB_DRIVER", *options.driver);
  if (const auto wanted = variable("NVMLAB_DRIVER")) driver = wanted;
  return kGood;
}

int become(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command)
    words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  if (!finish_output()) return kFailed;
  ::execvp(words[0], words.data());
  const int number = errno;
  if (number == ENOENT || number == ENOTDIR) {
    std::error_code failed;
    if (command[0].find('/') != std::string::npos && fs::exists(command[0], failed)) {
      complain("{}: the interpreter that it names was not found", command[0]);
    } else {
      complain("{}: command not found", command[0]);
    }
    return kNotFound;
  }
  complain("{}: cannot be executed: {}", command[0], std::strerror(number));
  return kNotExecutable;
}

}  // namespace

int run_run(const Arguments& arguments) {
  const auto options = compile_options(arguments);
  if (!options) return misused(options.error());
  const auto log = arguments.option("--log");
  if (log) {
    if (const auto good = check_log(*log); !good) return misused(good.error());
  }
  const auto refusal = init_error(arguments);
  if (!refusal) return misused(refusal.error());
  const auto role = arguments.option("--role");
  if (role && *role != "root" && *role != "user")
    return misused(fmt::format("--role {}: root or user was expected", in_quotes(*role)));
  bool describes = false;
  for (const char* option : {"--profile", "--gpus", "--driver"}) {
    if (!arguments.flag(option)) continue;
    describes = true;
    if (arguments.flag("--machine")) {
      return misused(fmt::format(
          "--machine and {} exclude each other: a machine that is up has its profile, GPUs and driver already",
          option));
    }
  }
  ChosenDriver driver;
  auto machine = arguments.option("--machine");
  if (!machine && !describes) machine = variable("NVMLAB_MACHINE");
  if (machine) {
    if (const int code = share_machine(*machine, driver); code != kGood) return code;
  } else {
    ::unsetenv("NVMLAB_MACHINE");
    if (const int code = private_machine(arguments, *options, driver); code != kGood) return code;
    sweep_machines_folder();
  }
  if (const auto folder = variable("NVMLAB_RUNTIME_DIR")) set("NVMLAB_RUNTIME_DIR", fs::absolute(*folder).string());
  ::unsetenv("NVMLAB_LIBRARY");  // programs on the C++ library look where all others do
  if (log) set("NVMLAB_LOG", *log);
  if (role) set("NVMLAB_ROLE", *role);
  if (*refusal) set("NVMLAB_INIT_ERROR", **refusal);
  const auto library = driver ? library_folder_of_driver(*driver) : library_folder();
  if (!library) return complain(library.error());
  prepend_library_path(*library);
  return become(arguments.command);
}

}  // namespace nvmlab::tool
