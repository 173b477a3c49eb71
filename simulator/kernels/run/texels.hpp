// SPDX-License-Identifier: Apache-2.0
// Elements of arrays: one at a whole place, and what lies between them as the programming guide has it. Tests:
// tests/unit/kernels/forms/textures.cpp.
#pragma once

#include <cstdint>

#include "kernels/textures_api.h"

namespace nvmlab::kernels {

// Four numbers, real ones or bits of integers.
struct Texel {
  float real[4] = {0, 0, 0, 0};
  std::uint32_t bits[4] = {0, 0, 0, 0};
};

std::uint32_t format_bytes(std::uint32_t format);  // of one channel; 0: none that is known

struct TexturePlace {
  float at[3] = {0, 0, 0};
  std::int32_t whole[3] = {0, 0, 0};
  bool integers = false;
  std::uint32_t dimensions = 1;
  std::uint32_t layer = 0;
};

// One element, wherever its place is, of a level.
Texel texel_at(const nvmlab_texture& of, std::uint32_t level, std::int64_t x, std::int64_t y, std::int64_t z);
// As the texture filters.
Texel sampled(const nvmlab_texture& of, const TexturePlace& place, float level);
// One component of the four elements around a place, in PTX's order.
Texel gathered(const nvmlab_texture& of, const TexturePlace& place, std::uint32_t component);
// Whether its results are real numbers when .f32 is asked for.
bool promotes(const nvmlab_texture& of);
// Which face a direction meets, and where.
TexturePlace on_cube(float x, float y, float z, std::uint32_t layer);

}  // namespace nvmlab::kernels
