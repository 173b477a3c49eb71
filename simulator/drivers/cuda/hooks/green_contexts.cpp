// SPDX-License-Identifier: Apache-2.0
// Contexts that have a part of a device. Tests: tests/drivers/cuda/green_contexts_test.cpp.
#include "drivers/cuda/contexts/green_contexts.hpp"

#include "drivers/cuda/graphs/captures.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/hooks/stream_guard.hpp"
#include "drivers/cuda/modules/launch_attributes.hpp"

namespace nvmlab::cuda {
namespace {

template <class Body>
CUresult with_green(CUgreenCtx handle, const Body& body) {
  const Locked lock;
  GreenContext* const found = find_green(handle);
  return found == nullptr ? no_green(handle) : body(*found);
}

CUresult give_resource(const SmRange& range, int type, CUdevResource* out) {
  if (type != kMultiprocessors) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
  write_resource(range, sm_rules(range.device, false), out);
  return CUDA_SUCCESS;
}

// Of a context, which is a green one or has the whole device.
CUresult give_resource_of(std::uint32_t device, CUgreenCtx green, int type, CUdevResource* out) {
  const GreenContext* const found = find_green(green);
  return give_resource(found == nullptr ? all_multiprocessors(device) : found->resource, type, out);
}

}  // namespace

namespace hooks {

CUresult cuGreenCtxCreate(CUgreenCtx* phCtx, CUdevResourceDesc desc, CUdevice dev, unsigned int flags) {
  constexpr unsigned kDefaultStream = 1;
  constexpr std::uint32_t kCuda13 = 13000;
  const bool needed = cuda_release() < kCuda13;
  if (phCtx == nullptr || (flags & ~kDefaultStream) != 0 || (needed && flags != kDefaultStream))
    return CUDA_ERROR_INVALID_VALUE;
  if (find_device(dev) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  {
    const Locked lock;
    const SmRange* const found = find_descriptor(desc);
    if (found == nullptr || found->device != static_cast<std::uint32_t>(dev)) return CUDA_ERROR_INVALID_VALUE;
  }
  CUcontext primary = nullptr;
  if (const CUresult code = cuDevicePrimaryCtxRetain(&primary, dev); code != CUDA_SUCCESS) return code;
  CUresult code = CUDA_SUCCESS;
  {
    const Locked lock;
    code = create_green(primary, *find_descriptor(desc), phCtx);
  }
  if (code != CUDA_SUCCESS) cuDevicePrimaryCtxRelease_v2(dev);
  return code;
}

CUresult cuGreenCtxDestroy(CUgreenCtx hCtx) {
  CUdevice device = 0;
  const CUresult code = with_green(hCtx, [&](const GreenContext& green) {
    device = static_cast<CUdevice>(green.resource.device);
    streams.for_each([hCtx](const StreamState& stream) {
      if (stream.green == hCtx && stream.queue->capture.of != 0)
        refuse_captured(*stream.queue, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    });
    abandon_queue(green.after);
    destroy_green(hCtx);
    return CUDA_SUCCESS;
  });
  if (code == CUDA_SUCCESS) cuDevicePrimaryCtxRelease_v2(device);
  return code;
}

CUresult cuCtxFromGreenCtx(CUcontext* pContext, CUgreenCtx hCtx) {
  if (pContext == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_green(hCtx, [pContext](const GreenContext& green) {
    *pContext = green.alias;
    return CUDA_SUCCESS;
  });
}

CUresult cuGreenCtxGetDevResource(CUgreenCtx hCtx, CUdevResource* resource, CUdevResourceType type) {
  if (resource == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_green(hCtx, [&](const GreenContext& green) { return give_resource(green.resource, type, resource); });
}

CUresult cuCtxGetDevResource(CUcontext hCtx, CUdevResource* resource, CUdevResourceType type) {
  if (resource == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  const CUcontext asked = hCtx == nullptr ? current_handle() : hCtx;
  const Context* const context = find_context(asked);
  return context == nullptr ? no_context(asked) : give_resource_of(context->device, green_of(asked), type, resource);
}

CUresult cuStreamGetDevResource(CUstream hStream, CUdevResource* resource, CUdevResourceType type) {
  if (resource == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const StreamGuard guard(hStream);
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  return give_resource_of(guard.context().device, guard.stream().green, type, resource);
}

CUresult cuGreenCtxGetId(CUgreenCtx greenCtx, unsigned long long* greenCtxId) {
  if (greenCtxId == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUgreenCtx asked = greenCtx;
  if (asked == nullptr) {
    const Locked lock;
    asked = current_green();
  }
  return with_green(asked, [greenCtxId](const GreenContext& green) {
    *greenCtxId = green.id;
    return CUDA_SUCCESS;
  });
}

CUresult cuGreenCtxStreamCreate(CUstream* phStream, CUgreenCtx greenCtx, unsigned int flags, int priority) {
  if (phStream == nullptr || flags != kNonBlocking) return CUDA_ERROR_INVALID_VALUE;
  return with_green(greenCtx, [&](const GreenContext& green) {
    Context* const context = find_context(green.primary);
    if (context == nullptr) return no_context(green.primary);
    if (const CUresult code = state_of_context(*context); code != CUDA_SUCCESS) return code;
    std::uint64_t handle = 0;
    const CUresult code = create_stream(green.primary, flags, clamp_priority(priority), 0, &handle);
    if (code != CUDA_SUCCESS) return code;
    *phStream = reinterpret_cast<CUstream>(handle);
    return join_green(handle, greenCtx);
  });
}

CUresult cuStreamGetGreenCtx(CUstream hStream, CUgreenCtx* phCtx) {
  if (phCtx == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  StreamState found{};
  const CUresult code = find_stream(hStream, &found);
  if (code == CUDA_SUCCESS) *phCtx = found.green;
  return code;
}

}  // namespace hooks
}  // namespace nvmlab::cuda
