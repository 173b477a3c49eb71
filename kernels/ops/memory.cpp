// SPDX-License-Identifier: Apache-2.0
// Loads and stores of one element or a vector, in all spaces.
#include <cstring>

#include "kernels/ops/addresses.hpp"
#include "kernels/ops/families.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {
namespace {

using ptx::Type;

// T in memory, extended to the register by its sign.
template <class T, class Register>
void ld(Warp& warp, const Instruction& code, std::uint32_t mask) {
  if (static_cast<AddressSpace>(code.space) == AddressSpace::parameter) {
    for (std::uint32_t k = 0; k < code.count; ++k) {
      T value;
      std::memcpy(&value, warp.block->launch->parameters + code.imm + k * sizeof(T), sizeof value);
      if (code.r[k].used == 0) continue;
      const auto to = lanes<Register>(warp, code.r[k]);
      each_lane(mask, [=](std::uint32_t i) { to.put(i, static_cast<Register>(value)); });
    }
    return;
  }
  std::uint64_t at[kLanes];
  if (!addresses(warp, code, mask, static_cast<std::uint32_t>(sizeof(T)) * code.count, at)) return;
  for (std::uint32_t k = 0; k < code.count; ++k) {
    if (code.r[k].used == 0) continue;
    const auto to = lanes<Register>(warp, code.r[k]);
    each_lane(mask, [&](std::uint32_t i) { to.put(i, static_cast<Register>(reinterpret_cast<const T*>(at[i])[k])); });
  }
}

template <class T, class Register>
void st(Warp& warp, const Instruction& code, std::uint32_t mask) {
  std::uint64_t at[kLanes];
  if (!addresses(warp, code, mask, static_cast<std::uint32_t>(sizeof(T)) * code.count, at)) return;
  for (std::uint32_t k = 0; k < code.count; ++k) {
    const auto from = lanes<Register>(warp, code.r[k]);
    each_lane(mask, [&](std::uint32_t i) { reinterpret_cast<T*>(at[i])[k] = static_cast<T>(from.get(i)); });
  }
}

}  // namespace

Handler load(Type type, bool wide_register) {
  switch (type) {
    case Type::s8:
      return wide_register ? ld<std::int8_t, u64> : ld<std::int8_t, u32>;
    case Type::s16:
      return wide_register ? ld<std::int16_t, u64> : ld<std::int16_t, u32>;
    case Type::s32:
      return wide_register ? ld<std::int32_t, u64> : ld<std::int32_t, u32>;
    default:
      break;
  }
  switch (ptx::size_of(type)) {
    case 1:
      return wide_register ? ld<std::uint8_t, u64> : ld<std::uint8_t, u32>;
    case 2:
      return wide_register ? ld<std::uint16_t, u64> : ld<std::uint16_t, u32>;
    case 4:
      return wide_register ? ld<u32, u64> : ld<u32, u32>;
    case 8:
      return wide_register ? ld<u64, u64> : nullptr;
    default:
      return nullptr;
  }
}

Handler store(Type type, bool wide_register) {
  switch (ptx::size_of(type)) {
    case 1:
      return wide_register ? st<std::uint8_t, u64> : st<std::uint8_t, u32>;
    case 2:
      return wide_register ? st<std::uint16_t, u64> : st<std::uint16_t, u32>;
    case 4:
      return wide_register ? st<u32, u64> : st<u32, u32>;
    case 8:
      return wide_register ? st<u64, u64> : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
