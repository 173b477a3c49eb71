// SPDX-License-Identifier: Apache-2.0
// Contexts that a program creates, and the one that is current. Tests: tests/drivers/cuda/contexts_test.cpp.
#include "drivers/cuda/contexts/contexts.hpp"

#include "drivers/cuda/graphs/captures.hpp"
#include "drivers/cuda/hooks/destroy_context.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/streams/work_threads.hpp"

namespace nvmlab::cuda {
namespace {

constexpr unsigned kKnownFlags =
    0xFF;  // how to wait, map host memory, local memory kept, core dumps, synchronous copies
constexpr unsigned kScheduleMask = 7;

bool good_flags(unsigned flags) {
  const unsigned schedule = flags & kScheduleMask;
  return (flags & ~kKnownFlags) == 0 && (schedule & (schedule - 1)) == 0;
}

CUresult create(CUcontext* out, unsigned flags, CUdevice device) {
  if (out == nullptr || !good_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
  if (find_device(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  const Locked lock;
  CUcontext made = nullptr;
  const CUresult code = create_context(static_cast<std::uint32_t>(device), flags, false, &made);
  if (code != CUDA_SUCCESS) return code;
  if (!push_context(made)) {
    destroy_context(made);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *out = made;
  return CUDA_SUCCESS;
}

CUresult pop(CUcontext* out) {
  const Locked lock;
  const CUcontext popped = pop_context();
  if (popped == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (out != nullptr) *out = popped;
  return CUDA_SUCCESS;
}

CUresult push(CUcontext handle) {
  const Locked lock;
  if (find_context(handle) == nullptr) return no_context(handle);
  return push_context(handle) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

// A word of the current context, to the caller or from it.
template <class Out, class T>
CUresult give(Out* out, T Context::*member) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  *out = static_cast<Out>(guard.context().*member);
  return CUDA_SUCCESS;
}
CUresult take(int value, int highest, std::uint32_t Context::*member) {
  if (value < 0 || value > highest) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  guard.context().*member = static_cast<std::uint32_t>(value);
  return CUDA_SUCCESS;
}

CUresult begin_waiting(CUcontext* current) {
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  *current = guard.handle();
  return check_context(guard.handle());
}

}  // namespace

namespace hooks {

CUresult cuCtxCreate_v2(CUcontext* pctx, unsigned int flags, CUdevice dev) { return create(pctx, flags, dev); }

CUresult cuCtxCreate_v3(CUcontext* pctx, CUexecAffinityParam* paramsArray, int numParams, unsigned int flags,
                        CUdevice dev) {
  if (numParams < 0 || (numParams > 0 && paramsArray == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  return numParams > 0 ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : create(pctx, flags, dev);
}

CUresult cuCtxCreate_v4(CUcontext* pctx, CUctxCreateParams* ctxCreateParams, unsigned int flags, CUdevice dev) {
  if (ctxCreateParams == nullptr) return create(pctx, flags, dev);
  if (ctxCreateParams->cigParams != nullptr) return CUDA_ERROR_NOT_SUPPORTED;  // memory of a graphics API
  return hooks::cuCtxCreate_v3(pctx, ctxCreateParams->execAffinityParams, ctxCreateParams->numExecAffinityParams, flags,
                               dev);
}

// Shares of multiprocessors are what MPS has.
CUresult cuCtxGetExecAffinity(CUexecAffinityParam* pExecAffinity, CUexecAffinityType type) {
  if (pExecAffinity == nullptr || type != 0) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  return guard.code() == CUDA_SUCCESS ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : guard.code();
}

CUresult cuCtxDestroy_v2(CUcontext ctx) {
  return while_idle([ctx] {
    const Context* context = find_context(ctx);
    if (context == nullptr) return no_context(ctx);
    if (context->primary) return CUDA_ERROR_INVALID_CONTEXT;
    if (current_context() == ctx) pop_context();
    destroy_context(ctx);
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxDestroy(CUcontext ctx) { return cuCtxDestroy_v2(ctx); }

CUresult cuCtxAttach(CUcontext* pctx, unsigned int flags) {
  if (pctx == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  ++guard.context().users;
  *pctx = guard.handle();
  return CUDA_SUCCESS;
}

CUresult cuCtxDetach(CUcontext ctx) {
  return while_idle([ctx] {
    Context* context = find_context(ctx);
    if (context == nullptr) return no_context(ctx);
    if (current_context() != ctx || context->primary) return CUDA_ERROR_INVALID_CONTEXT;
    if (--context->users > 0) return CUDA_SUCCESS;
    pop_context();
    destroy_context(ctx);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPushCurrent_v2(CUcontext ctx) { return push(ctx); }
CUresult cuCtxPushCurrent(CUcontext ctx) { return push(ctx); }
CUresult cuCtxPopCurrent_v2(CUcontext* pctx) { return pop(pctx); }
CUresult cuCtxPopCurrent(CUcontext* pctx) { return pop(pctx); }

CUresult cuCtxSetCurrent(CUcontext ctx) {
  const Locked lock;
  if (ctx != nullptr && find_context(ctx) == nullptr) return no_context(ctx);
  return set_context(ctx) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuCtxGetCurrent(CUcontext* pctx) {
  if (pctx == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  *pctx = current_handle();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) { return give(device, &Context::device); }

CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext ctx) {
  if (ctx == nullptr) return cuCtxGetDevice(device);
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  const Context* context = find_context(ctx);
  if (context == nullptr) return no_context(ctx);
  *device = static_cast<CUdevice>(context->device);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int* flags) { return give(flags, &Context::flags); }
CUresult cuCtxSetFlags(unsigned int flags) {
  return good_flags(flags) ? take(static_cast<int>(flags), static_cast<int>(kKnownFlags), &Context::flags)
                           : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuCtxGetId(CUcontext ctx, unsigned long long* ctxId) {
  if (ctx == nullptr) return give(ctxId, &Context::id);
  if (ctxId == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  const Context* context = find_context(ctx);
  if (context == nullptr) return no_context(ctx);
  *ctxId = context->id;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int* version) {
  constexpr unsigned kSinceCuda4 = 3020;
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  const CUcontext asked = ctx == nullptr ? current_context() : ctx;
  if (find_context(asked) == nullptr) return no_context(asked);
  *version = kSinceCuda4;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  CUcontext current = nullptr;
  if (const CUresult code = begin_waiting(&current); code != CUDA_SUCCESS) return code;
  await_context(current);
  return ContextGuard().code();
}
CUresult cuCtxSynchronize_v2(CUcontext ctx) {
  if (ctx == nullptr) return cuCtxSynchronize();
  {
    const Locked lock;
    if (in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
    if (find_context(ctx) == nullptr) return no_context(ctx);
    if (const CUresult code = check_context(ctx); code != CUDA_SUCCESS) return code;
  }
  await_context(ctx);
  const Locked lock;
  const Context* context = find_context(ctx);
  return context == nullptr ? no_context(ctx) : context->fault;
}

CUresult cuCtxGetLimit(size_t* pvalue, CUlimit limit) {
  if (pvalue == nullptr || limit < 0) return CUDA_ERROR_INVALID_VALUE;
  if (static_cast<std::uint32_t>(limit) >= kLimits) return CUDA_ERROR_UNSUPPORTED_LIMIT;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  *pvalue = guard.context().limits[limit];
  return CUDA_SUCCESS;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  constexpr CUlimit kPersistingL2 = 6;  // and what lies behind it can be asked only
  if (limit < 0) return CUDA_ERROR_INVALID_VALUE;
  if (limit > kPersistingL2) return CUDA_ERROR_UNSUPPORTED_LIMIT;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  guard.context().limits[limit] = limit == kPersistingL2 ? 0 : value;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* pconfig) { return give(pconfig, &Context::cache_config); }
CUresult cuCtxSetCacheConfig(CUfunc_cache config) { return take(config, 3, &Context::cache_config); }
CUresult cuCtxGetSharedMemConfig(CUsharedconfig* pConfig) { return give(pConfig, &Context::shared_config); }
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) { return take(config, 2, &Context::shared_config); }

CUresult cuCtxResetPersistingL2Cache() { return cuCtxSynchronize(); }

CUresult cuCtxGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  if (leastPriority != nullptr) *leastPriority = 0;
  if (greatestPriority != nullptr) *greatestPriority = -5;
  return CUDA_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::cuda
