// SPDX-License-Identifier: Apache-2.0
// Tensor maps, which kernels of compute capability 9.0 and newer copy by. Tests:
// tests/drivers/cuda/tensor_maps_test.cpp.
#include "drivers/cuda/modules/tensor_maps.hpp"
#include "drivers/cuda/abi/generated/device_attributes.hpp"

#include <cstring>

#include "drivers/cuda/contexts/contexts.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/process/attribute_sources.hpp"

namespace nvmlab::cuda {
namespace {

// Calls body(map) with one of the program, on a device that has them; what it writes stays where it succeeds.
template <class Body>
CUresult with_map(CUtensorMap* to, const Body& body) {
  if (to == nullptr || reinterpret_cast<std::uintptr_t>(to) % 64 != 0) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  int has = 0;
  read_attribute(CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED, gpu_of(process.devices[guard.context().device]),
                 &has);
  if (has == 0) return CUDA_ERROR_NOT_SUPPORTED;
  nvmlab_tensor_map map;
  std::memcpy(&map, to, sizeof map);
  const CUresult code = body(map);
  if (code == CUDA_SUCCESS) std::memcpy(to, &map, sizeof map);
  return code;
}

}  // namespace

namespace hooks {

CUresult cuTensorMapEncodeTiled(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
                                void* globalAddress, const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
                                const cuuint32_t* boxDim, const cuuint32_t* elementStrides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion l2Promotion, CUtensorMapFloatOOBfill oobFill) {
  const TensorAsked asked{tensorDataType, tensorRank,    reinterpret_cast<std::uint64_t>(globalAddress),
                          globalDim,      globalStrides, elementStrides,
                          interleave,     swizzle,       l2Promotion,
                          oobFill};
  return with_map(tensorMap, [&](nvmlab_tensor_map& map) { return tiled_map(asked, boxDim, &map); });
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
                                 void* globalAddress, const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
                                 const int* pixelBoxLowerCorner, const int* pixelBoxUpperCorner,
                                 cuuint32_t channelsPerPixel, cuuint32_t pixelsPerColumn,
                                 const cuuint32_t* elementStrides, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
                                 CUtensorMapFloatOOBfill oobFill) {
  const TensorAsked asked{tensorDataType, tensorRank,    reinterpret_cast<std::uint64_t>(globalAddress),
                          globalDim,      globalStrides, elementStrides,
                          interleave,     swizzle,       l2Promotion,
                          oobFill};
  const Im2colAsked columns{pixelBoxLowerCorner, pixelBoxUpperCorner, channelsPerPixel, pixelsPerColumn};
  return with_map(tensorMap, [&](nvmlab_tensor_map& map) { return im2col_map(asked, columns, &map); });
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* tensorMap, void* globalAddress) {
  const auto address = reinterpret_cast<std::uint64_t>(globalAddress);
  return with_map(tensorMap, [&](nvmlab_tensor_map& map) {
    if (map.magic != NVMLAB_TENSOR_MAP || !may_begin_at(map, address)) return CUDA_ERROR_INVALID_VALUE;
    map.address = address;
    return CUDA_SUCCESS;
  });
}

}  // namespace hooks
}  // namespace nvmlab::cuda
