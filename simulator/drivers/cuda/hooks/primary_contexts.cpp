// SPDX-License-Identifier: Apache-2.0
// The primary context of each device, which all users of the process share. Tests:
// tests/drivers/cuda/contexts_test.cpp.
#include "drivers/cuda/contexts/contexts.hpp"
#include "drivers/cuda/hooks/destroy_context.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/streams/work_threads.hpp"

namespace nvmlab::cuda {
namespace {

template <class Body>
CUresult with_primary(CUdevice device, const Body& body) {
  if (find_device(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  const Locked lock;
  return body(primary_of(static_cast<std::uint32_t>(device)));
}

// The same of what may end the context, when its work is done.
template <class Body>
CUresult with_idle_primary(CUdevice device, const Body& body) {
  if (find_device(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  return while_idle([&] { return body(primary_of(static_cast<std::uint32_t>(device))); });
}

void end(Primary& primary) {
  if (primary.context != nullptr) destroy_context(primary.context);
  primary.context = nullptr;
}

}  // namespace

namespace hooks {

CUresult cuDevicePrimaryCtxRetain(CUcontext* pctx, CUdevice dev) {
  if (pctx == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_primary(dev, [&](Primary& primary) {
    if (primary.context == nullptr) {
      const CUresult code = create_context(static_cast<std::uint32_t>(dev), primary.flags, true, &primary.context);
      if (code != CUDA_SUCCESS) return code;
    }
    ++primary.users;
    *pctx = primary.context;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev) {
  return with_idle_primary(dev, [](Primary& primary) {
    if (primary.users == 0) return CUDA_ERROR_INVALID_CONTEXT;
    if (--primary.users == 0) end(primary);
    return CUDA_SUCCESS;
  });
}
CUresult cuDevicePrimaryCtxRelease(CUdevice dev) { return cuDevicePrimaryCtxRelease_v2(dev); }

// Whoever retained it finds that it is gone.
CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev) {
  return with_idle_primary(dev, [](Primary& primary) {
    end(primary);
    return CUDA_SUCCESS;
  });
}
CUresult cuDevicePrimaryCtxReset(CUdevice dev) { return cuDevicePrimaryCtxReset_v2(dev); }

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) {
  constexpr unsigned kKnownFlags = 0xFF;
  const unsigned schedule = flags & 7;
  if ((flags & ~kKnownFlags) != 0 || (schedule & (schedule - 1)) != 0) return CUDA_ERROR_INVALID_VALUE;
  return with_primary(dev, [flags](Primary& primary) {
    primary.flags = flags;
    if (Context* context = find_context(primary.context)) context->flags = flags;
    return CUDA_SUCCESS;
  });
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags) {
  return cuDevicePrimaryCtxSetFlags_v2(dev, flags);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int* flags, int* active) {
  if (flags == nullptr || active == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_primary(dev, [&](const Primary& primary) {
    *flags = primary.flags;
    *active = primary.context != nullptr ? 1 : 0;
    return CUDA_SUCCESS;
  });
}

}  // namespace hooks
}  // namespace nvmlab::cuda
