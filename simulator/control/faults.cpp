// SPDX-License-Identifier: Apache-2.0
#include "control/faults.hpp"

#include "control/machine.hpp"
#include "engine/topics/faults/faulty_calls.hpp"

namespace nvmlab::control {

std::vector<GpuFault> gpu_faults(const Machine& machine) {
  std::vector<GpuFault> all;
  for (std::uint32_t i = 0; i < machine.gpu_count(); ++i) {
    const Faults faults = read_faults(machine.store().gpus()[i]);
    for (const ActiveFault& fault : faults)
      all.push_back({i, fault});
  }
  return all;
}

std::vector<FunctionFault> function_faults(const Machine& machine) {
  std::vector<FunctionFault> all;
  for (std::uint32_t place = 0; place < kMaxFunctionFaults; ++place) {
    if (const FunctionFault fault = read_function_fault(machine.store(), place); fault.id != 0) all.push_back(fault);
  }
  return all;
}

std::uint32_t init_fault(const Machine& machine) { return machine.store().header.init_code; }

bool matches_function(const char* pattern, const char* function) { return fits_function(pattern, function); }

}  // namespace nvmlab::control
