// SPDX-License-Identifier: Apache-2.0
// Matrices of the tests: numbers of each element's type as bits, and products of them.
#pragma once

#include "tests/unit/kernels/forms/reals.hpp"
#include "tests/unit/kernels/forms/texts.hpp"

namespace nvmlab::kernels_test {

inline unsigned element_bits(const std::string& type) {
  if (type == "b1") return 1;
  if (type == "s4" || type == "u4") return 4;
  if (type == "s8" || type == "u8" || type == "e4m3" || type == "e5m2") return 8;
  if (type == "f16" || type == "bf16" || type == "b16") return 16;
  return type == "f64" ? 64 : 32;
}

// A small number of the type, so that every sum of products is exact in every accumulator.
inline Bits element_of(const std::string& type, int value) {
  if (type == "f16" || type == "bf16") return small_bits(value, small_of(type));
  if (type == "f32" || type == "tf32") return bits_of(static_cast<float>(value));
  if (type == "f64") return bits_of(static_cast<double>(value));
  if (type == "e4m3" || type == "e5m2") {  // of -2 to 2
    const Bits one = type == "e4m3" ? 0x38 : 0x3C;
    const Bits step = type == "e4m3" ? 8 : 4;
    const Bits size = value == 0 ? 0 : std::abs(value) == 1 ? one : one + step;
    return size | (value < 0 ? 0x80 : 0);
  }
  return static_cast<Bits>(value) & ((Bits{1} << element_bits(type)) - 1);
}

struct Extent {
  int m = 0;
  int n = 0;
  int k = 0;
};
inline Extent extent_of(const Named& form) {
  for (const std::string& word : form.words) {
    Extent of;
    if (std::sscanf(word.c_str(), "m%dn%dk%d", &of.m, &of.n, &of.k) == 3) return of;
  }
  return {};
}

// Of an element type's range, of few numbers.
inline int number_for(const std::string& type, std::mt19937& random) {
  if (type == "b1") return static_cast<int>(random() % 2);
  if (type[0] == 'u') return static_cast<int>(random() % (type == "u4" ? 16 : 200));
  if (type == "s4") return static_cast<int>(random() % 16) - 8;
  if (type == "s8") return static_cast<int>(random() % 256) - 128;
  return static_cast<int>(random() % 5) - 2;
}

inline std::vector<int> numbers_for(const std::string& type, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> all;
  for (int i = 0; i < count; ++i)
    all.push_back(number_for(type, random));
  return all;
}

// c + a x b; of bits what joins them is counted.
inline std::vector<std::int64_t> product(const Extent& of, const std::vector<int>& a, const std::vector<int>& b,
                                         const std::vector<int>& c, const Named& form) {
  std::vector<std::int64_t> all;
  for (int i = 0; i < of.m * of.n; ++i) {
    std::int64_t sum = c[static_cast<std::size_t>(i)];
    for (int l = 0; l < of.k; ++l) {
      const int x = a[static_cast<std::size_t>(i / of.n * of.k + l)];
      const int y = b[static_cast<std::size_t>(l * of.n + i % of.n)];
      sum += form.has("xor") ? x ^ y : form.has("and") ? x & y : x * y;
    }
    all.push_back(sum);
  }
  return all;
}

}  // namespace nvmlab::kernels_test
