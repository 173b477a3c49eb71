// SPDX-License-Identifier: Apache-2.0
// Attributes of a launch: those that change what a kernel computes, or whether it may run. Tests:
// tests/drivers/cuda/launch_config_test.cpp.
#pragma once

#include "drivers/cuda/abi/abi.hpp"

namespace nvmlab::cuda {

struct LaunchChoices {
  bool cooperative = false;              // the grid's blocks run at the same time
  std::uint32_t cluster[3] = {0, 0, 0};  // blocks that run together; 0: as the kernel is declared
};

// What is not done is refused, with its reason in the log.
CUresult read_launch_attributes(const CUlaunchConfig& config, LaunchChoices* out);

}  // namespace nvmlab::cuda
