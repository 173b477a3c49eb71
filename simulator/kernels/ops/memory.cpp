// SPDX-License-Identifier: Apache-2.0
// Loads and stores of one element or a vector, in all spaces.
#include <cstring>

#include "kernels/ops/addresses.hpp"
#include "kernels/ops/families.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {
namespace {

using ptx::Type;

constexpr std::uint32_t kMostVector = 32;  // bytes
using Half [[gnu::vector_size(16), gnu::may_alias]] = std::uint64_t;
using Word [[gnu::may_alias]] = std::uint64_t;

// GPUs read and write a vector of up to 16 bytes at once, and CUB's scans count on it: blocks tell each other a state
// and its value so. x86-64 does that by one instruction for an address that is a multiple of its size.
void copy_vector(std::uint64_t from, std::uint64_t to, std::uint32_t bytes) {
  if (bytes % sizeof(Half) == 0 && (from | to) % sizeof(Half) == 0) {
    for (std::uint32_t i = 0; i < bytes; i += sizeof(Half))
      *reinterpret_cast<volatile Half*>(to + i) = *reinterpret_cast<const volatile Half*>(from + i);
  } else if (bytes == sizeof(Word) && (from | to) % sizeof(Word) == 0) {
    *reinterpret_cast<volatile Word*>(to) = *reinterpret_cast<const volatile Word*>(from);
  } else {
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  }
}

// The vectors of a warp on their way between memory and registers.
struct Vectors {
  alignas(sizeof(Half)) char of[kLanes][kMostVector];

  template <class T>
  T* at(std::uint32_t lane) {
    return reinterpret_cast<T*>(of[lane]);
  }
  std::uint64_t address(std::uint32_t lane) { return reinterpret_cast<std::uint64_t>(of[lane]); }
};

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
  Vectors read;
  if (code.count > 1) {
    each_lane(mask, [&](std::uint32_t i) {
      copy_vector(at[i], read.address(i), static_cast<std::uint32_t>(sizeof(T)) * code.count);
      at[i] = read.address(i);
    });
  }
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
  if (code.count == 1) {
    const auto from = lanes<Register>(warp, code.r[0]);
    each_lane(mask, [&](std::uint32_t i) { *reinterpret_cast<T*>(at[i]) = static_cast<T>(from.get(i)); });
    return;
  }
  Vectors written;
  for (std::uint32_t k = 0; k < code.count; ++k) {
    const auto from = lanes<Register>(warp, code.r[k]);
    each_lane(mask, [&](std::uint32_t i) { written.at<T>(i)[k] = static_cast<T>(from.get(i)); });
  }
  each_lane(mask, [&](std::uint32_t i) {
    copy_vector(written.address(i), at[i], static_cast<std::uint32_t>(sizeof(T)) * code.count);
  });
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
