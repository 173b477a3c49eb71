/* SPDX-License-Identifier: Apache-2.0
 *
 * What a driver tells kernels of a texture or a surface: where its numbers lie, and how they are read. Part of
 * kernels_api.h. Tests: tests/unit/kernels/forms/textures.cpp, tests/drivers/cuda/textures_test.cpp.
 */
#ifndef NVMLAB_TEXTURES_API_H
#define NVMLAB_TEXTURES_API_H

#include <stdint.h>

enum { NVMLAB_TEXTURE_LEVELS = 16 };

/* Numbers of CUDA's enumerations. */
struct nvmlab_texture {
  uint64_t memory; /* of the first element */
  uint64_t bytes;
  uint32_t width;  /* elements */
  uint32_t height; /* 0: one dimension */
  uint32_t depth;  /* or layers, or faces; 0: none */
  uint64_t pitch;  /* bytes from row to row of level 0; those of other levels are dense */
  uint32_t format; /* CUarray_format */
  uint32_t channels;
  uint32_t layered;
  uint32_t cube;
  uint32_t linear;                          /* memory that is no array: read by integers alone */
  uint32_t levels;                          /* at least 1, of a half of the size each */
  uint64_t level_at[NVMLAB_TEXTURE_LEVELS]; /* bytes from `memory` */
  uint32_t address_mode[3];
  uint32_t filter_mode;
  uint32_t mipmap_filter_mode;
  uint32_t flags; /* CU_TRSF_... */
  float bias;
  float least_level;
  float most_level;
  float border[4];
};

#endif
