// SPDX-License-Identifier: Apache-2.0
//
// Modules and their kernels. A library of CUDA 12 is a module of the context that was current when it was loaded, and a
// CUkernel the same object as the CUfunction of it. All under the lock of the process. Tests:
// tests/drivers/cuda/modules_test.cpp.
#pragma once

#include "drivers/cuda/contexts/contexts.hpp"
#include "drivers/cuda/modules/jit_options.hpp"
#include "drivers/cuda/modules/kernel_library.hpp"

namespace nvmlab::cuda {

struct ModuleState {
  CUcontext context;
  nvmlab_module* loaded;
  std::uint64_t memory;   // of its variables; 0: it has none
  CUfunction* functions;  // by the kernel's index; null: nobody has asked for it
  std::uint32_t count;
};

// What the calls of before CUDA 4 tell of a launch, one after another.
struct PreparedLaunch {
  static constexpr std::uint32_t kMostParameters = 4096;

  std::uint32_t block[3];
  std::uint32_t shared;
  std::uint32_t size;  // of the parameters
  char parameters[kMostParameters];
};

struct FunctionState {
  CUmodule module;
  const nvmlab_kernel* kernel;
  std::uint32_t most_dynamic_shared;  // 0: as without asking
  std::int32_t carveout;
  bool large_clusters;       // of more blocks than every GPU with clusters has
  std::uint32_t cluster[3];  // that it was given; 0: none
  PreparedLaunch* prepared;  // null: nobody has prepared one
};

CUresult load_module(const void* image, JitOptions* options, CUmodule* out);
CUresult unload_module(CUmodule handle);
CUresult unload_library(CUmodule handle);
void release_modules_of(CUcontext context);

ModuleState* find_module(CUmodule handle);
FunctionState* find_function(CUfunction handle);
// The kernel of this index.
CUresult function_of(CUmodule handle, std::uint32_t index, CUfunction* out);

}  // namespace nvmlab::cuda
