// SPDX-License-Identifier: Apache-2.0
// Arrays and their levels (arrays.hpp). Tests: tests/drivers/cuda/textures_test.cpp.
#include "drivers/cuda/memory/arrays.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/streams/work_threads.hpp"

namespace nvmlab::cuda {
namespace {

CUresult create(const CUDA_ARRAY3D_DESCRIPTOR& of, CUarray* out) {
  const ContextGuard guard;
  return guard.code() == CUDA_SUCCESS ? create_array(guard.handle(), of, out) : guard.code();
}

CUresult describe(CUarray handle, CUDA_ARRAY3D_DESCRIPTOR* out) {
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const ArrayState* const array = find_array(handle);
  if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *out = array->of;
  return CUDA_SUCCESS;
}

}  // namespace

namespace hooks {

CUresult cuArrayCreate_v2(CUarray* pHandle, const CUDA_ARRAY_DESCRIPTOR* pAllocateArray) {
  if (pHandle == nullptr || pAllocateArray == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_ARRAY_DESCRIPTOR& of = *pAllocateArray;
  return create({of.Width, of.Height, 0, of.Format, of.NumChannels, 0}, pHandle);
}
CUresult cuArray3DCreate_v2(CUarray* pHandle, const CUDA_ARRAY3D_DESCRIPTOR* pAllocateArray) {
  return pHandle == nullptr || pAllocateArray == nullptr ? CUDA_ERROR_INVALID_VALUE : create(*pAllocateArray, pHandle);
}
CUresult cuArrayDestroy(CUarray hArray) {
  return while_idle_in_context([&] { return destroy_array(hArray); });
}
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* pArrayDescriptor, CUarray hArray) {
  if (pArrayDescriptor == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUDA_ARRAY3D_DESCRIPTOR of{};
  const CUresult code = describe(hArray, &of);
  if (code == CUDA_SUCCESS) *pArrayDescriptor = {of.Width, of.Height, of.Format, of.NumChannels};
  return code;
}
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* pArrayDescriptor, CUarray hArray) {
  return pArrayDescriptor == nullptr ? CUDA_ERROR_INVALID_VALUE : describe(hArray, pArrayDescriptor);
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* pHandle, const CUDA_ARRAY3D_DESCRIPTOR* pMipmappedArrayDesc,
                                unsigned int numMipmapLevels) {
  if (pHandle == nullptr || pMipmappedArrayDesc == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  return create_mipmap(guard.handle(), *pMipmappedArrayDesc, numMipmapLevels, pHandle);
}
CUresult cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray) {
  return while_idle_in_context([&] { return destroy_mipmap(hMipmappedArray); });
}
CUresult cuMipmappedArrayGetLevel(CUarray* pLevelArray, CUmipmappedArray hMipmappedArray, unsigned int level) {
  if (pLevelArray == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const MipmapState* const mipmap = find_mipmap(hMipmappedArray);
  if (mipmap == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (level >= mipmap->levels) return CUDA_ERROR_INVALID_VALUE;
  *pLevelArray = mipmap->level[level];
  return CUDA_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::cuda
