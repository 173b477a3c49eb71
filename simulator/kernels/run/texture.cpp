// SPDX-License-Identifier: Apache-2.0
#include "kernels/run/texture.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include "kernels/code/texture.hpp"
#include "kernels/run/block.hpp"
#include "kernels/run/groups.hpp"
#include "kernels/run/texels.hpp"

namespace nvmlab::kernels {
namespace {

constexpr std::string_view kQueries[] = {"width",
                                         "height",
                                         "depth",
                                         "channel_data_type",
                                         "channel_order",
                                         "array_size",
                                         "normalized_coords",
                                         "num_mipmap_levels",
                                         "memory_layout"};

void put_texel(const Warp& warp, Ref ref, std::uint32_t lane, std::uint64_t value) {
  if (ref.used == 0) return;
  char* const to = warp.base[0] + ref.at;
  if (ref.wide != 0) {
    reinterpret_cast<std::uint64_t*>(to)[lane] = value;
  } else {
    reinterpret_cast<std::uint32_t*>(to)[lane] = static_cast<std::uint32_t>(value);
  }
}

float real_of(const Warp& warp, Ref ref, std::uint32_t lane) {
  const auto bits = static_cast<std::uint32_t>(value_of(warp, ref, lane));
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// How many texels of level 0 a step on the screen crosses, as a level.
float level_of_slopes(const Warp& warp, const TextureAccess& of, const nvmlab_texture& texture, std::uint32_t lane) {
  const std::uint32_t sizes[3] = {texture.width, texture.height, texture.depth};
  float most = 0;
  for (const auto& slope : of.slope) {
    float square = 0;
    for (std::uint32_t i = 0; i < of.dimensions; ++i) {
      const float part =
          real_of(warp, slope[i], lane) * ((texture.flags & 2) != 0 ? static_cast<float>(sizes[i]) : 1.0F);
      square += part * part;
    }
    most = std::max(most, std::sqrt(square));
  }
  return most > 0 ? std::log2(most) : 0;
}

TexturePlace place_of(const Warp& warp, const TextureAccess& of, std::uint32_t lane) {
  const std::uint32_t first = of.layered ? 1 : 0;
  const std::uint32_t layer = of.layered ? static_cast<std::uint32_t>(value_of(warp, of.place[0], lane)) : 0;
  if (of.cube)
    return on_cube(real_of(warp, of.place[first], lane), real_of(warp, of.place[first + 1], lane),
                   real_of(warp, of.place[first + 2], lane), layer);
  TexturePlace made;
  made.integers = of.integers;
  made.dimensions = of.dimensions;
  made.layer = layer;
  for (std::uint32_t i = 0; i < of.dimensions; ++i) {
    if (of.integers) {
      made.whole[i] = static_cast<std::int32_t>(value_of(warp, of.place[first + i], lane));
    } else {
      made.at[i] = real_of(warp, of.place[first + i], lane);
    }
  }
  return made;
}

void sample(Warp& warp, const TextureAccess& of, const nvmlab_texture& texture, std::uint32_t lane) {
  const TexturePlace place = place_of(warp, of, lane);
  float level = 0;
  if (of.level)
    level = of.integers ? static_cast<float>(static_cast<std::int32_t>(value_of(warp, of.detail, lane)))
                        : real_of(warp, of.detail, lane);
  if (of.graded) level = level_of_slopes(warp, of, texture, lane);
  if (std::isnan(level)) level = 0;
  const Texel found =
      of.step == TextureStep::gather ? gathered(texture, place, of.component) : sampled(texture, place, level);
  for (std::uint32_t i = 0; i < 4; ++i)
    put_texel(warp, of.values[i], lane, found.bits[i]);
}

std::uint32_t order_of(std::uint32_t channels) {  // CL_R, CL_RG, CL_RGBA, as PTX numbers them
  return channels == 1 ? 0x10B0 : channels == 2 ? 0x10B2 : 0x10B5;
}

std::uint32_t data_type_of(std::uint32_t format) {
  constexpr struct {
    std::uint32_t format, type;
  } kTypes[] = {{8, 0x10D7}, {9, 0x10D8}, {10, 0x10D9}, {1, 0x10DA},
                {2, 0x10DB}, {3, 0x10DC}, {16, 0x10DD}, {32, 0x10DE}};
  for (const auto& each : kTypes) {
    if (each.format == format) return each.type;
  }
  return 0;
}

std::uint32_t answer(const nvmlab_texture& of, std::uint8_t what, std::uint32_t level) {
  const bool layers = of.layered != 0 || of.cube != 0;
  const auto at_level = [level](std::uint32_t size) {
    return size == 0 ? 0 : std::max(size >> std::min(level, 31U), 1U);
  };
  switch (what) {
    case 0:
      return at_level(of.width);
    case 1:
      return at_level(of.height);
    case 2:
      return layers ? 0 : at_level(of.depth);
    case 3:
      return data_type_of(of.format);
    case 4:
      return order_of(of.channels);
    case 5:
      return layers ? of.depth / (of.cube != 0 ? 6 : 1) : 0;
    case 6:
      return (of.flags & 2) != 0 ? 1 : 0;
    case 7:
      return of.levels;
    default:
      return 0;
  }
}

// Where a surface's bytes are; x counts bytes. Null: nowhere, and `fault` where that is one.
char* surface_at(const Warp& warp, const TextureAccess& of, const nvmlab_texture& texture, std::uint32_t lane,
                 bool* fault) {
  const std::uint64_t wanted = std::uint64_t{of.count} * of.bytes;
  const std::uint64_t element = std::uint64_t{format_bytes(texture.format)} * texture.channels;
  const std::uint32_t first = of.layered ? 1 : 0;
  std::int64_t at[3] = {0, 0, 0};
  for (std::uint32_t i = 0; i < of.dimensions; ++i)
    at[i] = static_cast<std::int32_t>(value_of(warp, of.place[first + i], lane));
  if (of.layered) at[2] = static_cast<std::int32_t>(value_of(warp, of.place[0], lane));
  const std::uint64_t row = texture.width * element;
  const std::int64_t most[3] = {static_cast<std::int64_t>(row) - static_cast<std::int64_t>(wanted),
                                std::max<std::int64_t>(texture.height, 1) - 1,
                                std::max<std::int64_t>(texture.depth, 1) - 1};
  bool outside = at[0] % static_cast<std::int64_t>(of.bytes) != 0;
  *fault = outside || most[0] < 0;
  if (*fault) return nullptr;
  for (int i = 0; i < 3; ++i)
    outside = outside || at[i] < 0 || at[i] > most[i];
  if (outside && of.beyond != OutOfRange::clamp) {
    *fault = of.beyond == OutOfRange::trap;
    return nullptr;
  }
  for (int i = 0; i < 3; ++i)
    at[i] = std::clamp<std::int64_t>(at[i], 0, most[i]);
  const std::uint64_t offset =
      texture.level_at[0] +
      (static_cast<std::uint64_t>(at[2]) * std::max(texture.height, 1U) + static_cast<std::uint64_t>(at[1])) *
          texture.pitch +
      static_cast<std::uint64_t>(at[0]);
  *fault = offset > texture.bytes || wanted > texture.bytes - offset;
  return *fault ? nullptr : reinterpret_cast<char*>(texture.memory + offset);
}

void surface(Warp& warp, const TextureAccess& of, const nvmlab_texture& texture, std::uint32_t lane) {
  bool fault = false;
  char* const at = surface_at(warp, of, texture, lane, &fault);
  if (fault) return fail(warp, FaultKind::illegal_address, lane, texture.memory, of.bytes);
  for (std::uint32_t i = 0; i < of.count; ++i) {
    std::uint64_t value = 0;
    if (of.step == TextureStep::store) {
      value = value_of(warp, of.values[i], lane);
      if (at != nullptr) std::memcpy(at + i * of.bytes, &value, of.bytes);
    } else {
      if (at != nullptr) std::memcpy(&value, at + i * of.bytes, of.bytes);
      put_texel(warp, of.values[i], lane, value);
    }
  }
}

}  // namespace

int texture_query(const char* word, std::size_t length) {
  for (std::size_t i = 0; i < sizeof kQueries / sizeof kQueries[0]; ++i) {
    if (kQueries[i] == std::string_view(word, length)) return static_cast<int>(i);
  }
  return -1;
}

void access_texture(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const auto& of = *reinterpret_cast<const TextureAccess*>(code.imm);
  const nvmlab_launch& request = *warp.block->launch->request;
  nvmlab_texture texture{};
  std::uint64_t known = 0;
  for (; mask != 0 && warp.fault == FaultKind::none; mask &= mask - 1) {
    const std::uint32_t lane = first_of(mask);
    std::uint64_t handle = value_of(warp, of.handle, lane);
    if (of.named) {  // a reference of the module holds the handle
      if (!reachable(warp, handle, 8)) return fail(warp, FaultKind::illegal_address, lane, handle, 8);
      std::memcpy(&handle, reinterpret_cast<const void*>(handle), sizeof handle);
    }
    if (handle == 0 || handle != known) {
      if (handle == 0 || request.texture == nullptr || request.texture(request.user, handle, &texture) == 0)
        return fail(warp, FaultKind::illegal_address, lane, handle, 8);
      known = handle;
    }
    switch (of.step) {
      case TextureStep::query:
        put_texel(warp, of.values[0], lane,
                  answer(texture, of.what, of.level ? static_cast<std::uint32_t>(value_of(warp, of.detail, lane)) : 0));
        break;
      case TextureStep::load:
      case TextureStep::store:
        surface(warp, of, texture, lane);
        break;
      default:
        sample(warp, of, texture, lane);
    }
  }
}

}  // namespace nvmlab::kernels
