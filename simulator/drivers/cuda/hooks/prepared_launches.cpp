// SPDX-License-Identifier: Apache-2.0
// Launches as programs of before CUDA 4 say them: the shape of blocks and the parameters one after another, and then
// the grid. Tests: tests/drivers/cuda/prepared_launches_test.cpp.
#include <cstring>

#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/modules/modules.hpp"

namespace nvmlab::cuda {
namespace {

// Calls body(prepared) under the lock.
template <class Body>
CUresult with_prepared(CUfunction handle, const Body& body) {
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  FunctionState* const function = find_function(handle);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (function->prepared == nullptr)
    function->prepared = static_cast<PreparedLaunch*>(sys::map_private(sizeof(PreparedLaunch)));
  return function->prepared == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : body(*function->prepared);
}

CUresult set_parameter(CUfunction handle, int offset, const void* value, unsigned int size) {
  constexpr std::uint32_t kMost = PreparedLaunch::kMostParameters;
  if (offset < 0 || static_cast<std::uint32_t>(offset) > kMost || size > kMost - static_cast<std::uint32_t>(offset) ||
      (value == nullptr && size != 0))
    return CUDA_ERROR_INVALID_VALUE;
  return with_prepared(handle, [&](PreparedLaunch& prepared) {
    std::memcpy(prepared.parameters + offset, value, size);
    return CUDA_SUCCESS;
  });
}

CUresult launch(CUfunction handle, int width, int height, CUstream stream) {
  if (width <= 0 || height <= 0) return CUDA_ERROR_INVALID_VALUE;
  PreparedLaunch now;
  const CUresult good = with_prepared(handle, [&](const PreparedLaunch& prepared) {
    std::memcpy(&now, &prepared, sizeof now);
    return CUDA_SUCCESS;
  });
  if (good != CUDA_SUCCESS) return good;
  std::size_t size = now.size;
  void* extra[] = {reinterpret_cast<void*>(1), now.parameters, reinterpret_cast<void*>(2), &size, nullptr};
  return hooks::cuLaunchKernel(handle, static_cast<unsigned int>(width), static_cast<unsigned int>(height), 1,
                               now.block[0], now.block[1], now.block[2], now.shared, stream, nullptr, extra);
}

}  // namespace

namespace hooks {

CUresult cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z) {
  if (x <= 0 || y <= 0 || z <= 0) return CUDA_ERROR_INVALID_VALUE;
  return with_prepared(hfunc, [&](PreparedLaunch& prepared) {
    prepared.block[0] = static_cast<std::uint32_t>(x);
    prepared.block[1] = static_cast<std::uint32_t>(y);
    prepared.block[2] = static_cast<std::uint32_t>(z);
    return CUDA_SUCCESS;
  });
}
CUresult cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes) {
  return with_prepared(hfunc, [&](PreparedLaunch& prepared) {
    prepared.shared = bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuParamSetSize(CUfunction hfunc, unsigned int numbytes) {
  if (numbytes > PreparedLaunch::kMostParameters) return CUDA_ERROR_INVALID_VALUE;
  return with_prepared(hfunc, [&](PreparedLaunch& prepared) {
    prepared.size = numbytes;
    return CUDA_SUCCESS;
  });
}
CUresult cuParamSeti(CUfunction hfunc, int offset, unsigned int value) {
  return set_parameter(hfunc, offset, &value, sizeof value);
}
CUresult cuParamSetf(CUfunction hfunc, int offset, float value) {
  return set_parameter(hfunc, offset, &value, sizeof value);
}
CUresult cuParamSetv(CUfunction hfunc, int offset, void* ptr, unsigned int numbytes) {
  return set_parameter(hfunc, offset, ptr, numbytes);
}

CUresult cuLaunch(CUfunction f) { return launch(f, 1, 1, nullptr); }
CUresult cuLaunchGrid(CUfunction f, int grid_width, int grid_height) {
  return launch(f, grid_width, grid_height, nullptr);
}
CUresult cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream) {
  return launch(f, grid_width, grid_height, hStream);
}

}  // namespace hooks
}  // namespace nvmlab::cuda
