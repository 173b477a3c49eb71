// SPDX-License-Identifier: Apache-2.0
// What help and manual say around the commands: the environment, exit codes.
// Tests: tests/unit/command/commands_test.cpp.
#include <fmt/format.h>
#include <unistd.h>

#include "command/cli/help.hpp"
#include "engine/store/variables.hpp"

namespace nvmlab::tool {
namespace {

constexpr Variable kVariables[] = {
    {"NVMLAB_PROFILE", "The profile of `run` and `up` without --profile; the simulated driver reads it as well"},
    {"NVMLAB_GPUS", "The number of GPUs, as --gpus"},
    {"NVMLAB_DRIVER", "The driver version, as --driver"},
    {"NVMLAB_MACHINE",
     "The machine of `run`, `get` and `set` without --machine; options that describe a node take "
     "precedence"},
    {"NVMLAB_LIBRARY",
     "The NVML library of `devices`, `smi`, `record` and every program that uses nvmlab's C++ library, as --library"},
    {"NVMLAB_ROLE", "Privilege that a program is treated as having, as --role"},
    {"NVMLAB_LOG", "How much the simulated driver logs, as --log"},
    {"NVMLAB_KERNELS", "Whether CUDA kernels are executed, as --kernels"},
    {"NVMLAB_KERNEL_TIMEOUT", "How long one CUDA kernel may run, as 10s or 250ms (default: without a limit)"},
    {"NVMLAB_RUNTIME_DIR", "Folder of the machines that are up (default: /dev/shm/nvmlab-UID)"},
    {"NO_COLOR", "No colour, even on a terminal"},
};

constexpr ExitCode kExitCodes[] = {
    {"0", "Success"},
    {"1",
     "Failure; a line on standard error says why. `compare`, `profiles diff`: there are differences. "
     "`play`: something is not as expected"},
    {"2", "Invalid usage. `compare`, `profiles diff`: they could not be compared. `play`: a file is wrong"},
    {"126", "`run` found the command and could not execute it"},
    {"127", "`run` did not find the command"},
    {"other", "That of the command, for `run`"},
};

}  // namespace

std::span<const Variable> variables() { return kVariables; }

std::vector<std::string> misspelt_variables() {
  std::vector<std::string> complaints;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    const char* const near = misspelt_variable(name.data(), static_cast<std::uint32_t>(name.size()));
    if (near != nullptr)
      complaints.push_back(fmt::format("{}: there is no such variable; did you mean {}?", name, near));
  }
  return complaints;
}

std::span<const ExitCode> exit_codes() { return kExitCodes; }

std::string_view about_nvmlab() {
  return "nvmlab runs unmodified programs that use NVML (nvidia-smi, monitors, exporters) on machines without a GPU. "
         "It "
         "puts a simulated driver in place of NVIDIA's libnvidia-ml.so.1; its nodes are described in YAML, with "
         "values captured from real ones.";
}

}  // namespace nvmlab::tool
