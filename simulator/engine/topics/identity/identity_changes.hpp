// SPDX-License-Identifier: Apache-2.0
// Tests: tests/drivers/functions/board_settings_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/edit.hpp"

namespace nvmlab {

// As long as NVML's member; it ends with the first zero.
struct HostnameText {
  char characters[64];
};

// The name of the host as a GPU is told: letters, digits, '-' and '.'.
struct SetHostname {
  HostnameText name;
};

Code make(const SetHostname& change, GpuEdit& gpu);

}  // namespace nvmlab
