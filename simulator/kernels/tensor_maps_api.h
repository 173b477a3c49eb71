/* SPDX-License-Identifier: Apache-2.0
 *
 * The 128 bytes of a tensor map, which CUDA leaves to the driver: libcuda writes them, kernels change fields of them
 * (tensormap.replace). Part of kernels_api.h. Tests: tests/unit/kernels/forms/tensor_maps.cpp,
 * tests/drivers/cuda/tensor_maps_test.cpp.
 */
#ifndef NVMLAB_TENSOR_MAPS_API_H
#define NVMLAB_TENSOR_MAPS_API_H

#include <stdint.h>

enum { NVMLAB_TENSOR_MAP = 0x70616D74, NVMLAB_TENSOR_TILED = 1, NVMLAB_TENSOR_IM2COL = 2, NVMLAB_TENSOR_RANK = 5 };

/* Sizes are one less than what is meant where 0 would mean nothing and the highest would not fit. */
struct nvmlab_tensor_map {
  uint8_t last_dimension;
  uint8_t type;       /* CUtensorMapDataType */
  uint8_t interleave; /* none, 16 bytes, 32 bytes */
  uint8_t swizzle;    /* none, 32, 64, 128, 96 bytes */
  uint32_t magic;     /* NVMLAB_TENSOR_MAP */
  uint8_t atomicity;  /* of the swizzle: 16, 32, 32 with 8 flipped, 64 bytes */
  uint8_t fill;       /* of what lies outside: zero, NaN */
  uint8_t promotion;  /* in the L2 cache: none, 64, 128, 256 bytes */
  uint8_t kind;
  uint32_t reserved;
  uint64_t address;
  uint64_t stride[NVMLAB_TENSOR_RANK - 1]; /* bytes, of each dimension but the first */
  uint32_t last[NVMLAB_TENSOR_RANK];       /* of each dimension */
  uint16_t box[NVMLAB_TENSOR_RANK];        /* of im2col: channels of a pixel, pixels of a column */
  uint8_t step[NVMLAB_TENSOR_RANK];        /* elements */
  uint8_t unused;
  int16_t lower[NVMLAB_TENSOR_RANK - 2]; /* of im2col: the corners of the box of pixels */
  int16_t upper[NVMLAB_TENSOR_RANK - 2];
  uint8_t rest[24];
};

#endif
