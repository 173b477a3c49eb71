// SPDX-License-Identifier: Apache-2.0
// What is asked of arrays of kinds that there are none of here: sparse, with memory to come, of several planes. Tests:
// tests/drivers/cuda/texture_references_test.cpp.
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/memory/arrays.hpp"

namespace nvmlab::cuda {
namespace {

// What the driver says of an array that is not of the kind.
CUresult is_none(const void* out, bool known) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return known ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}

CUresult ask_array(const void* out, CUarray handle) {
  const ContextGuard guard;
  return guard.code() == CUDA_SUCCESS ? is_none(out, find_array(handle) != nullptr) : guard.code();
}
CUresult ask_mipmap(const void* out, CUmipmappedArray handle) {
  const ContextGuard guard;
  return guard.code() == CUDA_SUCCESS ? is_none(out, find_mipmap(handle) != nullptr) : guard.code();
}

}  // namespace

namespace hooks {

CUresult cuArrayGetPlane(CUarray* pPlaneArray, CUarray hArray, unsigned int) { return ask_array(pPlaneArray, hArray); }
CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES* sparseProperties, CUarray array) {
  return ask_array(sparseProperties, array);
}
CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES* sparseProperties, CUmipmappedArray mipmap) {
  return ask_mipmap(sparseProperties, mipmap);
}
CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS* memoryRequirements, CUarray array,
                                      CUdevice device) {
  return find_device(device) == nullptr ? CUDA_ERROR_INVALID_DEVICE : ask_array(memoryRequirements, array);
}
CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS* memoryRequirements,
                                               CUmipmappedArray mipmap, CUdevice device) {
  return find_device(device) == nullptr ? CUDA_ERROR_INVALID_DEVICE : ask_mipmap(memoryRequirements, mipmap);
}

}  // namespace hooks
}  // namespace nvmlab::cuda
