// SPDX-License-Identifier: Apache-2.0
//
// What a process has of a reading of the whole GPU, in the upper 24 bits of what a moving fact of it holds. Processes
// of a GPU take their parts one behind the other, so what they are told adds up to what the GPU is, whatever is
// rounded. In a MIG instance it is another one: how busy the process keeps the instance, which is a part of the GPU.
// Tests: tests/unit/load/workers_test.cpp.
#pragma once

#include <cstdint>

namespace nvmlab {

inline constexpr std::uint32_t kWholePart = 1 << 12;  // what all processes have
inline constexpr std::uint32_t kOfInstance = 0x80;    // below it is the place of a moving value

// From `from` on up to `to`, of kWholePart.
constexpr std::uint32_t part_between(std::uint32_t from, std::uint32_t to) {
  return (from % kWholePart) << 8 | (to % kWholePart) << 20;
}

// So many times what the GPU has, in 4096ths; more than 100 % is none.
constexpr std::uint32_t part_of_instance(std::uint32_t times) {
  constexpr std::uint32_t most = (1U << 24) - 1;
  return kOfInstance | (times < most ? times : most) << 8;
}

constexpr std::uint64_t part_of(std::uint32_t what, std::uint64_t whole) {
  const std::uint32_t part = what >> 8;
  if ((what & kOfInstance) != 0) {
    const std::uint64_t share = (whole * part + kWholePart / 2) / kWholePart;
    return share < 100 ? share : 100;
  }
  if (part == 0) return whole;
  const std::uint32_t from = part % kWholePart;
  const std::uint32_t to = part / kWholePart == 0 ? kWholePart : part / kWholePart;
  return to > from ? whole * to / kWholePart - whole * from / kWholePart : 0;
}

}  // namespace nvmlab
