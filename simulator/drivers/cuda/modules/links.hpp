// SPDX-License-Identifier: Apache-2.0
//
// Links that programs make of several texts of PTX (cuLink...). Their logs are of the whole link, so options stay
// until it is destroyed. Under the lock of the process. Tests: tests/drivers/cuda/links_test.cpp.
#pragma once

#include "drivers/cuda/contexts/contexts.hpp"
#include "drivers/cuda/modules/jit_options.hpp"
#include "drivers/cuda/modules/kernel_library.hpp"

namespace nvmlab::cuda {

struct LinkState {
  CUcontext context;
  nvmlab_linker* linker;
  JitOptions options;
  bool done;
  bool busy;  // a thread works on it without the lock
};

CUresult start_link(const JitOptions& options, CUlinkState* out);
CUresult add_to_link(CUlinkState handle, CUjitInputType type, const void* data, std::uint64_t size, const char* name);
CUresult finish_link(CUlinkState handle, void** image, std::size_t* size);
CUresult end_link(CUlinkState handle);
void release_links_of(CUcontext context);

}  // namespace nvmlab::cuda
