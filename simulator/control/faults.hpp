// SPDX-License-Identifier: Apache-2.0
// Faults of a machine: those of its GPUs and those of functions. Tests: tests/command/status_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/store/faults.hpp"
#include "engine/store/function_faults.hpp"

namespace nvmlab {

class Machine;

namespace control {

struct GpuFault {
  std::uint32_t gpu;
  ActiveFault fault;
};
std::vector<GpuFault> gpu_faults(const Machine& machine);

std::vector<FunctionFault> function_faults(const Machine& machine);

std::uint32_t init_fault(const Machine& machine);  // the code that makes nvmlInit fail; 0: none

// Returns true if a name matches a pattern with '*' and '?'. A pattern without a version (_v2) matches all versions of
// a name.
bool matches_function(const char* pattern, const char* function);

}  // namespace control
}  // namespace nvmlab
