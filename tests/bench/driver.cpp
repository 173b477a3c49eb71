// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/driver.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "base/temp_folder.hpp"

namespace nvmlab::bench {

using namespace nvml::abi;

void forget_settings() {
  std::vector<std::string> names;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string line = *each;
    if (line.starts_with("NVMLAB_") || line.starts_with("MOCK_NVML_")) names.push_back(line.substr(0, line.find('=')));
  }
  for (const std::string& name : names)
    ::unsetenv(name.c_str());
}

void* symbol(const std::string& library, const char* name) {
  void* opened = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* found = opened == nullptr ? nullptr : ::dlsym(opened, name);
  if (found == nullptr) throw std::runtime_error(::dlerror());
  return found;
}

namespace {

// Initialises the driver anew with these settings, where the last ones were others.
void use(const Variables& settings) {
  static Variables current;
  if (current == settings) return;
  if (!current.empty()) driver_function<nvmlReturn_t()>("nvmlShutdown")();
  for (const auto& [name, value] : settings)
    ::setenv(name.c_str(), value.c_str(), 1);
  ::setenv("NVMLAB_ROLE", "root", 1);  // for setters
  if (driver_function<nvmlReturn_t()>("nvmlInit_v2")() != NVML_SUCCESS) throw std::runtime_error("nvmlInit_v2 failed");
  for (const auto& [name, value] : settings)
    ::unsetenv(name.c_str());
  ::unsetenv("NVMLAB_ROLE");
  current = settings;
}

void use(const std::string& profile, unsigned gpus) {
  use({{"NVMLAB_PROFILE", profile}, {"NVMLAB_GPUS", std::to_string(gpus)}});
}

// A profile of a board with processes, in a file that goes away with the program.
std::string busy_profile() {
  static const TempFolder folder{"nvmlab-bench"};
  std::string file = folder.path() / "busy.yaml";
  std::ofstream out(file);
  out << "profile: busy\ninherits: h100-sxm5-80gb\nsources: {bench: {kind: assumed, why: to measure lists}}\n"
         "source: bench\nprocesses:\n  running:\n";
  for (unsigned i = 0; i < kListedProcesses; ++i)
    out << fmt::format("    - {{pid: {}, kinds: 1, used_bytes: {} MiB}}\n", 1000 + i, 100 + i);
  return file;
}

}  // namespace

void use_node(unsigned gpus) { use(machine_file(), gpus); }

void use_busy_node() {
  static const std::string profile = busy_profile();
  use(profile, 1);
}

void use_loaded_node() {
  static const TempFolder folder{"nvmlab-bench-loaded"};
  static const Variables settings{{"NVMLAB_RUNTIME_DIR", folder.path()}, {"NVMLAB_MACHINE", "loaded"}};
  static const bool loaded = [] {
    const std::string script = folder.path() / "load";
    std::ofstream(script) << fmt::format(
        "set -e\nnvmlab={}/nvmlab\n$nvmlab up loaded --profile dgx-h100 --gpus 1 > /dev/null\n$nvmlab load training\n",
        kPrograms);
    Variables environment = settings;
    environment["PATH"] = "/usr/bin:/bin";
    return run_program("/bin/sh", script, environment, nullptr) == 0;
  }();
  if (!loaded) throw std::runtime_error("no machine could be brought up and loaded");
  use(settings);
}

nvmlDevice_t device(unsigned index) {
  nvmlDevice_t found{};
  static auto* by_index = driver_function<nvmlReturn_t(unsigned, nvmlDevice_t*)>("nvmlDeviceGetHandleByIndex_v2");
  if (by_index(index, &found) != NVML_SUCCESS) throw std::runtime_error(fmt::format("no GPU {}", index));
  return found;
}

int run_program(const std::string& program, const std::string& argument, const Variables& variables,
                std::string* output) {
  std::vector<std::string> settings;
  for (const auto& [name, value] : variables)
    settings.push_back(name + "=" + value);
  std::vector<char*> environment;
  for (std::string& setting : settings)
    environment.push_back(setting.data());
  environment.push_back(nullptr);
  std::string words[] = {program, argument};
  char* arguments[] = {words[0].data(), words[1].data(), nullptr};

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  pid_t child = -1;
  const int failed = ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environment.data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::array<char, 65536> part{};
  for (ssize_t count = 0; (count = ::read(ends[0], part.data(), part.size())) > 0;) {
    if (output != nullptr) output->append(part.data(), static_cast<std::size_t>(count));
  }
  ::close(ends[0]);
  int status = 0;
  if (failed != 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

}  // namespace nvmlab::bench
