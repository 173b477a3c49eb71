// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/kernels/loops.hpp"

namespace nvmlab::bench {

void matmul_loop(const float* a, const float* b, float* c, std::uint32_t n) {
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::uint32_t k = 0; k < n; ++k)
        sum += a[std::size_t{i} * n + k] * b[std::size_t{k} * n + j];
      c[std::size_t{i} * n + j] = sum;
    }
  }
}

std::uint32_t reduce_loop(const std::uint32_t* in, std::uint32_t n) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < n; ++i)
    sum += in[i];
  return sum;
}

void histogram_loop(const std::uint8_t* in, std::uint32_t* bins, std::uint32_t n) {
  for (std::uint32_t i = 0; i < n; ++i)
    ++bins[in[i]];
}

}  // namespace nvmlab::bench
