// SPDX-License-Identifier: Apache-2.0
//
// What befalls a call of a function where functions have faults. For every API that a driver exports: it tells the
// function by its name. Tests: tests/unit/changes/function_faults_test.cpp,
// tests/drivers/functions/function_fault_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/store.hpp"

namespace nvmlab {

// Calls that this process has made of functions with a fault, by its place; zero at first.
struct CallCounts {
  std::uint64_t places[kMaxFunctionFaults];
};

inline constexpr std::uint32_t kNoGpu = ~std::uint32_t{0};

struct FaultyCall {
  const char* function = nullptr;
  std::uint32_t gpu = kNoGpu;  // that it is about
  bool gpu_alone = false;      // the faults of all calls have been met already, and those of that GPU's are left
};

struct CalledStore {
  Store& store;
  bool shared;    // other processes map it
  bool writable;  // and this one may write to it
};

// What a call brings upon the GPU that it is about.
struct Befallen {
  std::uint32_t fault = 0;  // FaultKind + 1; 0: nothing
  std::uint32_t gpu = kNoGpu;
  std::uint32_t xid = 0;
};

// Waits as long as the call is to take longer, or hangs. Then the code that it is to answer; kSuccess: it goes on. A
// fault that is healed meanwhile ends here, and is without effect.
Code meet_function_faults(const CalledStore& called, const FaultyCall& call, CallCounts& own, Befallen& befallen);

// Whether a name fits a pattern with '*' and '?'. One without a version (_v2) fits all versions of a name.
bool fits_function(const char* pattern, const char* function);

// Whether the call of this number, counted from 1, has the fault.
bool befalls(const FunctionFault& fault, std::uint64_t number);

// One that is published; its id is 0 where there is none in the place.
FunctionFault read_function_fault(const Store& store, std::uint32_t place);

}  // namespace nvmlab
