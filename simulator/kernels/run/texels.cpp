// SPDX-License-Identifier: Apache-2.0
#include "kernels/run/texels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace nvmlab::kernels {
namespace {

enum Format : std::uint32_t { kU8 = 1, kU16 = 2, kU32 = 3, kS8 = 8, kS16 = 9, kS32 = 10, kHalf = 16, kFloat = 32 };
enum Mode : std::uint32_t { kWrap, kClamp, kMirror, kBorder };
constexpr std::uint32_t kReadAsInteger = 1;
constexpr std::uint32_t kNormalized = 2;
constexpr std::uint32_t kSrgb = 16;

float half_value(std::uint32_t bits) {
  const auto fraction = static_cast<float>(bits & 1023);
  const int power = static_cast<int>(bits >> 10 & 31);
  float size = power == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, power - 25);
  if (power == 31) size = fraction == 0 ? HUGE_VALF : NAN;
  return (bits & 0x8000) != 0 ? -size : size;
}

float linear_of_srgb(float x) { return x <= 0.04045F ? x / 12.92F : std::pow((x + 0.055F) / 1.055F, 2.4F); }

void read_channel(const nvmlab_texture& of, std::uint32_t raw, std::uint32_t channel, Texel* out) {
  const bool promoted = promotes(of);
  std::uint32_t bits = raw;
  float real = 0;
  switch (of.format) {
    case kU8:
      real = static_cast<float>(raw) / 255.0F;
      if (promoted && (of.flags & kSrgb) != 0 && channel < 3) real = linear_of_srgb(real);
      break;
    case kU16:
      real = static_cast<float>(raw) / 65535.0F;
      break;
    case kS8:
      bits = static_cast<std::uint32_t>(static_cast<std::int8_t>(raw));
      real = std::max(static_cast<float>(static_cast<std::int8_t>(raw)) / 127.0F, -1.0F);
      break;
    case kS16:
      bits = static_cast<std::uint32_t>(static_cast<std::int16_t>(raw));
      real = std::max(static_cast<float>(static_cast<std::int16_t>(raw)) / 32767.0F, -1.0F);
      break;
    case kHalf:
      real = half_value(raw);
      std::memcpy(&bits, &real, 4);
      break;
    default:
      std::memcpy(&real, &raw, 4);
  }
  if (promoted) std::memcpy(&bits, &real, 4);
  out->bits[channel] = bits;
  out->real[channel] = real;
}

std::int64_t size_at(std::uint32_t size, std::uint32_t level) { return std::max<std::int64_t>(size >> level, 1); }

Texel border_of(const nvmlab_texture& of) {
  Texel made;
  for (int i = 0; i < 4; ++i) {
    made.real[i] = of.border[i];
    std::memcpy(&made.bits[i], &of.border[i], 4);
  }
  return made;
}

// A place along one axis within [0, size), by the mode; negative: the border.
std::int64_t within(std::int64_t at, std::int64_t size, std::uint32_t mode) {
  switch (mode) {
    case kWrap:
      return (at % size + size) % size;
    case kMirror: {
      const std::int64_t twice = (at % (2 * size) + 2 * size) % (2 * size);
      return twice < size ? twice : 2 * size - 1 - twice;
    }
    case kBorder:
      return at < 0 || at >= size ? -1 : at;
    default:
      return std::clamp<std::int64_t>(at, 0, size - 1);
  }
}

struct Axis {
  std::int64_t low = 0;  // before the mode
  float part = 0;        // of the next one, in 256ths
};

// Where numbers are too large for whole ones, they are far outside anyway.
std::int64_t floor_of(float x) {
  if (!(std::fabs(x) < 1e9F)) return x > 0 ? 1'000'000'000 : x < 0 ? -1'000'000'000 : 0;
  return static_cast<std::int64_t>(std::floor(x));
}

std::uint32_t mode_of(const nvmlab_texture& of, std::uint32_t axis) {
  const std::uint32_t mode = of.address_mode[axis];
  // To wrap and to mirror take normalised places.
  return (of.flags & kNormalized) == 0 && (mode == kWrap || mode == kMirror) ? std::uint32_t{kClamp} : mode;
}

Axis axis_of(const nvmlab_texture& of, float at, std::int64_t size, bool linear) {
  float x = at;
  if ((of.flags & kNormalized) != 0) x *= static_cast<float>(size);
  if (!linear) return {floor_of(x), 0};
  x -= 0.5F;
  Axis made{floor_of(x), 0};
  const float part = std::isfinite(x) && std::fabs(x) < 1e9F ? x - std::floor(x) : 0.0F;
  made.part = std::nearbyint(part * 256.0F) / 256.0F;
  return made;
}

Texel element(const nvmlab_texture& of, std::uint32_t level, const std::int64_t (&at)[3], std::uint32_t dimensions,
              std::uint32_t layer) {
  const std::int64_t sizes[3] = {size_at(of.width, level), size_at(of.height, level),
                                 of.layered != 0 || of.cube != 0 ? 1 : size_at(of.depth, level)};
  std::int64_t where[3] = {0, 0, 0};
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    where[i] = within(at[i], sizes[i], of.cube != 0 ? std::uint32_t{kClamp} : mode_of(of, i));
    if (where[i] < 0) return border_of(of);
  }
  if (of.layered != 0 || of.cube != 0)
    where[2] = std::min<std::int64_t>(layer, std::max<std::int64_t>(of.depth, 1) - 1);
  return texel_at(of, level, where[0], where[1], where[2]);
}

Texel sampled_level(const nvmlab_texture& of, const TexturePlace& place, std::uint32_t level) {
  const bool linear = of.filter_mode == 1 && promotes(of) && !place.integers;
  const std::int64_t sizes[3] = {size_at(of.width, level), size_at(of.height, level), size_at(of.depth, level)};
  Axis axes[3];
  for (std::uint32_t i = 0; i < place.dimensions; ++i)
    axes[i] = place.integers ? Axis{place.whole[i], 0} : axis_of(of, place.at[i], sizes[i], linear);
  Texel sum;
  const std::uint32_t corners = linear ? 1U << place.dimensions : 1;
  for (std::uint32_t corner = 0; corner < corners; ++corner) {
    std::int64_t at[3] = {0, 0, 0};
    float weight = 1;
    for (std::uint32_t i = 0; i < place.dimensions; ++i) {
      const bool next = (corner >> i & 1) != 0;
      at[i] = axes[i].low + (next ? 1 : 0);
      weight *= next ? axes[i].part : 1 - axes[i].part;
    }
    const Texel one = element(of, level, at, place.dimensions, place.layer);
    if (!linear) return one;
    for (int i = 0; i < 4; ++i)
      sum.real[i] += weight == 0 ? 0 : weight * one.real[i];
  }
  for (int i = 0; i < 4; ++i)
    std::memcpy(&sum.bits[i], &sum.real[i], 4);
  return sum;
}

}  // namespace

std::uint32_t format_bytes(std::uint32_t format) {
  switch (format) {
    case kU8:
    case kS8:
      return 1;
    case kU16:
    case kS16:
    case kHalf:
      return 2;
    case kU32:
    case kS32:
    case kFloat:
      return 4;
    default:
      return 0;
  }
}

bool promotes(const nvmlab_texture& of) {
  if (of.format == kHalf || of.format == kFloat) return true;
  return (of.flags & kReadAsInteger) == 0 && of.format != kU32 && of.format != kS32;
}

Texel texel_at(const nvmlab_texture& of, std::uint32_t level, std::int64_t x, std::int64_t y, std::int64_t z) {
  const std::uint64_t size = std::uint64_t{format_bytes(of.format)} * of.channels;
  const auto width = static_cast<std::uint64_t>(size_at(of.width, level));
  const auto height = static_cast<std::uint64_t>(size_at(of.height, level));
  const std::uint64_t pitch = level == 0 ? of.pitch : width * size;
  const std::uint64_t at = of.level_at[level] +
                           (static_cast<std::uint64_t>(z) * height + static_cast<std::uint64_t>(y)) * pitch +
                           static_cast<std::uint64_t>(x) * size;
  Texel made;
  made.real[3] = 1;  // what an element does not have
  made.bits[3] = 1;
  if (promotes(of)) std::memcpy(&made.bits[3], &made.real[3], 4);
  if (x < 0 || y < 0 || z < 0 || at > of.bytes || size > of.bytes - at) return made;
  const auto* const from = reinterpret_cast<const char*>(of.memory + at);
  for (std::uint32_t i = 0; i < of.channels && i < 4; ++i) {
    std::uint32_t raw = 0;
    std::memcpy(&raw, from + i * format_bytes(of.format), format_bytes(of.format));
    read_channel(of, raw, i, &made);
  }
  return made;
}

Texel sampled(const nvmlab_texture& of, const TexturePlace& place, float level) {
  if (of.linear != 0) {  // beyond its end everything is 0
    const std::int64_t at = place.integers ? place.whole[0] : floor_of(place.at[0]);
    return at < 0 || at >= of.width ? Texel{} : texel_at(of, 0, at, 0, 0);
  }
  float wanted = std::clamp(level + of.bias, of.least_level, std::max(of.least_level, of.most_level));
  wanted = std::clamp(wanted, 0.0F, static_cast<float>(of.levels - 1));
  if (of.mipmap_filter_mode == 0 || wanted == std::floor(wanted))
    return sampled_level(of, place, static_cast<std::uint32_t>(std::nearbyint(wanted)));
  const auto low = static_cast<std::uint32_t>(wanted);
  const float part = std::nearbyint((wanted - std::floor(wanted)) * 256.0F) / 256.0F;
  const Texel near = sampled_level(of, place, low);
  const Texel far = sampled_level(of, place, low + 1);
  Texel made;
  for (int i = 0; i < 4; ++i) {
    made.real[i] = near.real[i] * (1 - part) + far.real[i] * part;
    std::memcpy(&made.bits[i], &made.real[i], 4);
  }
  return promotes(of) ? made : near;
}

Texel gathered(const nvmlab_texture& of, const TexturePlace& place, std::uint32_t component) {
  const std::int64_t x = axis_of(of, place.at[0], of.width, true).low;
  const std::int64_t y = axis_of(of, place.at[1], size_at(of.height, 0), true).low;
  const std::int64_t corners[4][3] = {{x, y + 1, 0}, {x + 1, y + 1, 0}, {x + 1, y, 0}, {x, y, 0}};
  Texel made;
  for (int i = 0; i < 4; ++i) {
    const Texel one = element(of, 0, corners[i], 2, place.layer);
    made.real[i] = one.real[component];
    made.bits[i] = one.bits[component];
  }
  return made;
}

TexturePlace on_cube(float x, float y, float z, std::uint32_t layer) {
  const float sizes[3] = {std::fabs(x), std::fabs(y), std::fabs(z)};
  const std::uint32_t axis = sizes[0] >= sizes[1] && sizes[0] >= sizes[2] ? 0 : sizes[1] >= sizes[2] ? 1 : 2;
  const float along = axis == 0 ? x : axis == 1 ? y : z;
  const bool minus = along < 0;
  float s = 0;
  float t = -y;
  if (axis == 0) s = minus ? z : -z;
  if (axis == 1) s = x, t = minus ? -z : z;
  if (axis == 2) s = minus ? -x : x;
  TexturePlace made;
  made.dimensions = 2;
  made.layer = layer * 6 + axis * 2 + (minus ? 1 : 0);
  const float size = sizes[axis] == 0 ? 1 : sizes[axis];
  made.at[0] = (s / size + 1) / 2;
  made.at[1] = (t / size + 1) / 2;
  return made;
}

}  // namespace nvmlab::kernels
