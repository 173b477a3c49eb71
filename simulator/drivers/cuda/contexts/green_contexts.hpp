// SPDX-License-Identifier: Apache-2.0
//
// Green contexts: a part of the multiprocessors of a device, for streams of its primary context. As a CUcontext one has
// a handle of its own, by which the primary context is found. Under the lock of the process. Tests:
// tests/drivers/cuda/green_contexts_test.cpp.
#pragma once

#include "drivers/cuda/contexts/contexts.hpp"
#include "drivers/cuda/contexts/sm_resources.hpp"

namespace nvmlab::cuda {

struct GreenContext {
  CUcontext primary;
  CUcontext alias;
  SmRange resource;  // as many as it has, of whichever
  std::uint64_t id;
  WorkQueue* after = nullptr;  // as of a context
};

GreenContext* find_green(CUgreenCtx handle);
// CUDA_ERROR_CONTEXT_IS_DESTROYED or CUDA_ERROR_INVALID_CONTEXT, of a handle that find_green() does not know.
CUresult no_green(CUgreenCtx handle);
CUresult create_green(CUcontext primary, const SmRange& resource, CUgreenCtx* out);
// Leaves its streams without a green context. The caller abandons the queue `after`.
void destroy_green(CUgreenCtx handle);

// A descriptor stays as long as the process.
CUresult create_descriptor(const SmRange& resource, CUdevResourceDesc* out);
const SmRange* find_descriptor(CUdevResourceDesc handle);

// The green context that a CUcontext stands for; null: none.
CUgreenCtx green_of(CUcontext context);
CUgreenCtx current_green();
bool was_green(CUcontext context);
// The primary context of a CUcontext that stands for a green one; any other as it is.
CUcontext as_primary(CUcontext context);

// How many multiprocessors the work of a stream has; 0: all.
std::uint32_t multiprocessors_of(CUgreenCtx green);

}  // namespace nvmlab::cuda
