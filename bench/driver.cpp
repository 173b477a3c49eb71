// SPDX-License-Identifier: Apache-2.0
#include "bench/driver.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <vector>

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

void use_node(unsigned gpus) {
  static unsigned current = 0;
  if (current == gpus) return;
  if (current != 0) driver_function<nvmlReturn_t()>("nvmlShutdown")();
  ::setenv("NVMLAB_PROFILE", machine_file().c_str(), 1);
  ::setenv("NVMLAB_GPUS", std::to_string(gpus).c_str(), 1);
  if (driver_function<nvmlReturn_t()>("nvmlInit_v2")() != NVML_SUCCESS) throw std::runtime_error("nvmlInit_v2 failed");
  ::unsetenv("NVMLAB_PROFILE");
  ::unsetenv("NVMLAB_GPUS");
  current = gpus;
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
