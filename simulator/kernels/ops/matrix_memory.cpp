// SPDX-License-Identifier: Apache-2.0
// Matrices between registers and memory: wmma.load, wmma.store, ldmatrix, stmatrix; and movmatrix, which needs none.
#include <cstring>

#include "kernels/code/matrix.hpp"
#include "kernels/ops/families.hpp"
#include "kernels/ops/fragments.hpp"
#include "kernels/run/block.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {
namespace {

const Matrix& matrix_of(const Instruction& code) { return *reinterpret_cast<const Matrix*>(code.imm); }

bool may_reach(Warp& warp, u64 address, u32 bytes, u32 lane) {
  if (reachable(warp, address, bytes)) return true;
  fail(warp, FaultKind::illegal_address, lane, address, bytes);
  return false;
}

// Elements of a wmma in memory: bits from the address on.
template <bool Store>
void wmma(Warp& warp, const Instruction& code, u32 mask) {
  const Matrix& of = matrix_of(code);
  const Fragment& fragment = of.d;
  const auto first = static_cast<u32>(__builtin_ctz(mask));
  const u64 base = register_of(warp, of.address, first);
  const u64 stride = of.stride.used != 0 ? register_of(warp, of.stride, first) & 0xFFFFFFFF : of.dense;
  const u32 bits = bits_of(fragment.element);
  each_element(fragment, [&](u32 lane, u32 r, u32 shift, u32 index) {
    if (warp.fault != FaultKind::none) return;
    const u64 row = index / fragment.columns;
    const u64 column = index % fragment.columns;
    const u64 at = (of.column ? column * stride + row : row * stride + column) * bits;
    const u32 bytes = bits < 8 ? 1 : bits / 8;
    char* const where = reinterpret_cast<char*>(base + at / 8);
    if (!may_reach(warp, reinterpret_cast<u64>(where), bytes, lane)) return;
    if constexpr (Store) {
      const u64 value = register_of(warp, fragment.r[r], lane) >> shift;
      std::memcpy(where, &value, bytes);
    } else {
      u64 value = 0;
      std::memcpy(&value, where, bytes);
      if (bits < 8) value = value >> at % 8 & ((1U << bits) - 1);
      put(warp, fragment.r[r], lane, shift, value);
    }
  });
}

// Matrices of 8 x 8 numbers of 16 bits: lane 8 * i + j has the address of row j of the i-th.
template <bool Store>
void rows(Warp& warp, const Instruction& code, u32) {
  const Matrix& of = matrix_of(code);
  for (u32 i = 0; i < of.d.count; ++i) {
    for (u32 row = 0; row < 8; ++row) {
      const u32 lane = i * 8 + row;
      const u64 address = register_of(warp, of.address, lane);
      if ((address & 15) != 0) return fail(warp, FaultKind::misaligned, lane, address, 16);
      if (!may_reach(warp, address, 16, lane)) return;
      for (u32 column = 0; column < 8; ++column) {
        const u32 x = of.transposed ? column : row;
        const u32 y = of.transposed ? row : column;
        const auto lanes_of = lanes<u32>(warp, of.d.r[i]);
        const u32 holder = x * 4 + y / 2;
        const u32 shift = y % 2 * 16;
        auto* const number = reinterpret_cast<u16*>(address) + column;
        if constexpr (Store) {
          *number = static_cast<u16>(lanes_of.get(holder) >> shift);
        } else {
          lanes_of.put(holder, (lanes_of.get(holder) & ~(0xFFFFU << shift)) | u32{*number} << shift);
        }
      }
    }
  }
}

void turn(Warp& warp, const Instruction& code, u32) {
  const auto from = lanes<u32>(warp, code.r[1]);
  const auto to = lanes<u32>(warp, code.r[0]);
  u32 result[kLanes];
  for (u32 lane = 0; lane < kLanes; ++lane) {
    const u32 row = lane / 4;
    const u32 column = lane % 4 * 2;
    const auto number = [&](u32 x, u32 y) { return from.get(x * 4 + y / 2) >> (y % 2 * 16) & 0xFFFF; };
    result[lane] = number(column, row) | number(column + 1, row) << 16;
  }
  for (u32 lane = 0; lane < kLanes; ++lane)
    to.put(lane, result[lane]);
}

}  // namespace

Handler matrix_memory(std::string_view word) {
  if (word == "wmma.load") return wmma<false>;
  if (word == "wmma.store") return wmma<true>;
  if (word == "ldmatrix") return rows<false>;
  if (word == "stmatrix") return rows<true>;
  return word == "movmatrix" ? turn : nullptr;
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
