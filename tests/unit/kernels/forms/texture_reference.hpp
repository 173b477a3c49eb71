// SPDX-License-Identifier: Apache-2.0
// An image of four random numbers for each element, and what a texture of it gives by the formulas of the programming
// guide, in double.
#pragma once

#include <array>

#include "kernels/textures_api.h"
#include "tests/unit/kernels/forms/texts.hpp"

namespace nvmlab::kernels_test {

struct Pixel {
  std::array<double, 4> numbers{};
};

class Image {
 public:
  std::array<int, 3> sizes{1, 1, 1};
  unsigned mode = 1;
  bool linear = false;
  bool normalized = false;

  static Image random(const std::string& geometry, unsigned format, unsigned levels) {
    Image made;
    made.format_ = format;
    made.levels_ = levels;
    made.layered_ = geometry[0] == 'a';
    made.cube_ = geometry.ends_with("cube");
    made.dimensions_ = made.cube_ ? 2 : static_cast<unsigned>(geometry[geometry.size() - 2] - '0');
    made.sizes[0] = 8;
    if (made.dimensions_ > 1) made.sizes[1] = made.cube_ ? 8 : 4;
    if (made.dimensions_ > 2) made.sizes[2] = 4;
    if (made.layered_) made.sizes[2] = 3;
    if (made.cube_) made.sizes[2] = made.layered_ ? 12 : 6;
    std::mt19937 engine(7);
    for (unsigned level = 0; level < levels; ++level) {
      made.begins_.push_back(made.words_.size());
      const std::array<int, 3> of = made.at_level(level);
      for (int i = 0; i < of[0] * of[1] * of[2] * 4; ++i) {
        const float number = static_cast<float>(engine() % 2000) / 16 - 60;
        made.words_.push_back(static_cast<std::uint32_t>(format == 32  ? bits_of(number)
                                                         : format == 3 ? engine()
                                                                       : engine() % 3000 - 1500));
      }
    }
    return made;
  }

  nvmlab_texture told() const {
    nvmlab_texture made{};
    made.memory = reinterpret_cast<std::uint64_t>(words_.data());
    made.bytes = words_.size() * 4;
    made.width = static_cast<std::uint32_t>(sizes[0]);
    made.height = dimensions_ > 1 ? static_cast<std::uint32_t>(sizes[1]) : 0;
    made.depth = dimensions_ > 2 || layered_ || cube_ ? static_cast<std::uint32_t>(sizes[2]) : 0;
    made.pitch = static_cast<std::uint64_t>(sizes[0]) * 16;
    made.format = format_;
    made.channels = 4;
    made.layered = layered_ ? 1 : 0;
    made.cube = cube_ ? 1 : 0;
    made.levels = levels_;
    for (std::size_t i = 0; i < begins_.size(); ++i)
      made.level_at[i] = begins_[i] * 4;
    for (std::uint32_t& each : made.address_mode)
      each = mode;
    made.filter_mode = linear ? 1 : 0;
    made.flags = normalized ? 2 : 0;
    made.most_level = 15;
    for (int i = 0; i < 4; ++i)
      made.border[i] = 0;
    return made;
  }

  std::vector<std::uint8_t> bytes() const {
    std::vector<std::uint8_t> all(words_.size() * 4);
    std::memcpy(all.data(), words_.data(), all.size());
    return all;
  }

  // A slope along each axis that crosses so many elements in all.
  float slope(unsigned dimensions, double elements) const {
    double square = 0;
    for (unsigned i = 0; i < dimensions; ++i)
      square += normalized ? static_cast<double>(sizes[i]) * sizes[i] : 1;
    return static_cast<float>(elements / std::sqrt(square));
  }

  // Of four words as a kernel has them.
  Pixel sampled(const std::uint32_t* words, bool whole, unsigned level) const {
    const unsigned first = layered_ ? 1 : 0;
    double at[3] = {0, 0, 0};
    for (unsigned i = 0; i < dimensions_; ++i) {
      at[i] = whole ? static_cast<double>(static_cast<std::int32_t>(words[first + i]))
                    : static_cast<double>(as<float>(words[first + i]));
    }
    return between(at, whole, level, layered_ ? static_cast<int>(words[0]) : 0);
  }

  Pixel on_face(unsigned face, float s, float t) const {
    const double at[3] = {static_cast<double>(s), static_cast<double>(t), 0};
    return between(at, false, 0, static_cast<int>(face));
  }

  // Those around a place, from the lower left against the clock.
  Pixel gathered(const std::uint32_t* words, unsigned component) const {
    const unsigned first = layered_ ? 1 : 0;
    const int layer = layered_ ? static_cast<int>(words[0]) : 0;
    const auto i = static_cast<int>(std::floor(static_cast<double>(as<float>(words[first])) - 0.5));
    const auto j = static_cast<int>(std::floor(static_cast<double>(as<float>(words[first + 1])) - 0.5));
    const int corners[4][2] = {{i, j + 1}, {i + 1, j + 1}, {i + 1, j}, {i, j}};
    Pixel made;
    for (std::size_t k = 0; k < 4; ++k)
      made.numbers[k] = element(0, {corners[k][0], corners[k][1], 0}, layer).numbers[component];
    return made;
  }

 private:
  std::array<int, 3> at_level(unsigned level) const {
    std::array<int, 3> of = sizes;
    for (unsigned i = 0; i < dimensions_; ++i)
      of[i] = std::max(of[i] >> level, 1);
    return of;
  }

  Pixel element(unsigned level, std::array<int, 3> at, int layer) const {
    const std::array<int, 3> of = at_level(level);
    const bool folds = normalized && !cube_;
    for (unsigned i = 0; i < dimensions_; ++i) {
      const int n = of[i];
      if (mode == 3 && (at[i] < 0 || at[i] >= n)) return {};
      if (mode == 0 && folds) {
        at[i] -= static_cast<int>(std::floor(static_cast<double>(at[i]) / n)) * n;
      } else if (mode == 2 && folds) {
        while (at[i] < 0 || at[i] >= n)
          at[i] = at[i] < 0 ? -1 - at[i] : 2 * n - 1 - at[i];
      } else {
        at[i] = std::clamp(at[i], 0, n - 1);
      }
    }
    if (layered_ || cube_) at[2] = std::min(layer, of[2] - 1);
    const auto index = static_cast<std::size_t>(((at[2] * of[1]) + at[1]) * of[0] + at[0]) * 4;
    Pixel made;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint32_t word = words_[begins_[level] + index + i];
      made.numbers[i] = format_ == 32 ? static_cast<double>(as<float>(word)) : static_cast<double>(word);
    }
    return made;
  }

  Pixel between(const double (&place)[3], bool whole, unsigned level, int layer) const {
    const std::array<int, 3> of = at_level(level);
    double low[3] = {0, 0, 0};
    double part[3] = {0, 0, 0};
    for (unsigned i = 0; i < dimensions_; ++i) {
      const double x = place[i] * (normalized && !whole ? of[i] : 1) - (linear ? 0.5 : 0);
      low[i] = std::floor(x);
      part[i] = linear ? std::round((x - low[i]) * 256) / 256 : 0;
    }
    Pixel sum;
    for (unsigned corner = 0; corner < 8; ++corner) {
      double weight = 1;
      std::array<int, 3> at{0, 0, 0};
      for (unsigned i = 0; i < 3; ++i) {
        const bool next = (corner >> i & 1) != 0;
        weight *= next ? part[i] : 1 - part[i];
        at[i] = static_cast<int>(low[i]) + (next ? 1 : 0);
      }
      if (weight == 0) continue;
      const Pixel one = element(level, at, layer);
      for (std::size_t i = 0; i < 4; ++i)
        sum.numbers[i] += weight * one.numbers[i];
    }
    return sum;
  }

  unsigned format_ = 32;
  unsigned levels_ = 1;
  unsigned dimensions_ = 1;
  bool layered_ = false;
  bool cube_ = false;
  std::vector<std::size_t> begins_;
  std::vector<std::uint32_t> words_;
};

}  // namespace nvmlab::kernels_test
