// SPDX-License-Identifier: Apache-2.0
// The loops of kernels.ptx in C++, as GCC compiles them: what the interpreter is measured against, and its oracle.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nvmlab::bench {

void matmul_loop(const float* a, const float* b, float* c, std::uint32_t n);
std::uint32_t reduce_loop(const std::uint32_t* in, std::uint32_t n);
void histogram_loop(const std::uint8_t* in, std::uint32_t* bins, std::uint32_t n);

}  // namespace nvmlab::bench
