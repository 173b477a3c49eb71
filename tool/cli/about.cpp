// SPDX-License-Identifier: Apache-2.0
// What help and manual say around the commands: the environment, exit codes.
// Tests: tests/unit/tool/commands_test.cpp.
#include "tool/cli/help.hpp"

namespace nvmlab::tool {
namespace {

constexpr Variable kVariables[] = {
    {"NVMLAB_PROFILE", "The profile of `run`, where --profile is not given; read by the simulated driver as well"},
    {"NVMLAB_GPUS", "The number of GPUs, as --gpus"},
    {"NVMLAB_DRIVER", "The driver version, as --driver"},
    {"NVMLAB_MACHINE",
     "The machine of `run`, `get` and `set`, where --machine is not given; options that describe a node take "
     "precedence"},
    {"NVMLAB_LIBRARY",
     "The NVML library of `devices`, `smi`, `record` and every program on nvmlab's C++ library, as --library"},
    {"NVMLAB_ROLE", "Whom a program stands for where NVML asks for root, as --role"},
    {"NVMLAB_LOG", "What the simulated driver says, as --log"},
    {"NVMLAB_RUNTIME_DIR", "Where machines that are up lie; /dev/shm/nvmlab-UID where it is not set"},
    {"NO_COLOR", "No colour, also on a terminal"},
};

constexpr ExitCode kExitCodes[] = {
    {"0", "Everything was done"},
    {"1", "It could not be done; a line on standard error says why. `compare`, `profiles diff`: there are differences"},
    {"2", "The command line makes no sense. `compare`, `profiles diff`: they could not be compared"},
    {"126", "`run` found the command but could not execute it"},
    {"127", "`run` did not find the command"},
    {"other", "`run` ends as its command ends, with its exit code or by its signal"},
};

}  // namespace

std::span<const Variable> variables() { return kVariables; }
std::span<const ExitCode> exit_codes() { return kExitCodes; }

std::string_view about_nvmlab() {
  return "nvmlab runs programs that ask for NVIDIA GPUs on machines that have none: nvidia-smi, monitors, exporters, "
         "schedulers, unmodified. It puts a simulated driver in the place of NVIDIA's libnvidia-ml.so.1, with nodes "
         "that are described in YAML and whose numbers come from captures of real ones.";
}

}  // namespace nvmlab::tool
