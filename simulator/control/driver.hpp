// SPDX-License-Identifier: Apache-2.0
// The kernel driver of a machine: its version, whether it is loaded, and what uses it. Tests:
// tests/command/driver_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/state/code.hpp"

namespace nvmlab {

class Machine;

namespace control {

std::string driver_version(const Machine& machine);  // "550.163.01"

struct DriverState {
  std::string version;
  bool loaded = true;
  Code init_answer = kSuccess;  // the code that nvmlInit returns
  std::uint32_t loads = 0;      // how often the driver was loaded again
};
DriverState driver_state(const Machine& machine);

// Returns a sentence for each user that rmmod would find: clients, processes, vGPUs, persistence mode.
std::vector<std::string> driver_users(const Machine& machine);

}  // namespace control
}  // namespace nvmlab
