// SPDX-License-Identifier: Apache-2.0
// Tensor maps that a kernel changes. Tests: tests/unit/kernels/forms/tensor_maps.cpp.
#pragma once

#include "kernels/code/instruction.hpp"

namespace nvmlab::kernels {

// As PTX names them.
enum class TensorField : std::uint8_t {
  global_address,
  rank,
  box_dim,
  global_dim,
  global_stride,
  element_stride,
  elemtype,
  interleave_layout,
  swizzle_mode,
  fill_mode,
  swizzle_atomicity
};

// The field imm & 0xFF, of dimension imm >> 8 where it has several, of the map at r[0] becomes r[1].
void replace_tensor_field(Warp& warp, const Instruction& code, std::uint32_t mask);

}  // namespace nvmlab::kernels
