// SPDX-License-Identifier: Apache-2.0
// Execution contexts, which are the driver's green contexts. Tests: tests/drivers/cudart/execution_contexts_test.cpp.
#include "drivers/cudart/generated/hooks.hpp"
#include "drivers/cudart/runtime.hpp"

namespace nvmlab::cudart {
namespace {

// Calls body(driver, context) with the context that stands for it.
template <class Body>
cudaError_t with_execution(cudaExecutionContext_t handle, const Body& body) {
  return with_driver([&](const Driver& below) {
    CUcontext context = nullptr;
    const cudaError_t code = ask(below.cuCtxFromGreenCtx, &context, handle);
    return code == cudaSuccess ? body(below, context) : code;
  });
}

}  // namespace

namespace hooks {

// The driver of CUDA 12 wants to be told of its default stream; here no flag is defined.
cudaError_t cudaGreenCtxCreate(cudaExecutionContext_t* phCtx, cudaDevResourceDesc_t desc, int device,
                               unsigned int flags) {
  constexpr unsigned kDefaultStream = 1;
  if (flags != 0) return cudaErrorInvalidValue;
  return with_driver([&](const Driver& below) {
    const cudaError_t code = check_device(device);
    return code == cudaSuccess ? ask(below.cuGreenCtxCreate, phCtx, desc, device, kDefaultStream) : code;
  });
}

cudaError_t cudaExecutionCtxGetDevice(int* device, cudaExecutionContext_t ctx) {
  if (device == nullptr) return cudaErrorInvalidValue;
  return with_execution(
      ctx, [&](const Driver& below, CUcontext context) { return ask(below.cuCtxGetDevice_v2, device, context); });
}

cudaError_t cudaGraphConditionalHandleCreate_v2(cudaGraphConditionalHandle* pHandle_out, cudaGraph_t graph,
                                                cudaExecutionContext_t ctx, unsigned int defaultLaunchValue,
                                                unsigned int flags) {
  if (ctx == nullptr) return cudaGraphConditionalHandleCreate(pHandle_out, graph, defaultLaunchValue, flags);
  return with_execution(ctx, [&](const Driver& below, CUcontext context) {
    return ask(below.cuGraphConditionalHandleCreate, pHandle_out, graph, context, defaultLaunchValue, flags);
  });
}

cudaError_t cudaExecutionCtxSynchronize(cudaExecutionContext_t ctx) {
  return with_execution(
      ctx, [&](const Driver& below, CUcontext context) { return ask(below.cuCtxSynchronize_v2, context); });
}

}  // namespace hooks
}  // namespace nvmlab::cudart
