// SPDX-License-Identifier: Apache-2.0
//
// exp(-elapsed / time constant) in integers: the same bits on every compiler and processor, without libm. Between the
// rows of its table it goes straight, which is off by less than 2e-5. Tests: tests/unit/load/decay_test.cpp.
#pragma once

#include <cstdint>

namespace nvmlab {

inline constexpr std::uint32_t kDecayBits = 30;
inline constexpr std::int64_t kDecayOne = std::int64_t{1} << kDecayBits;

// 2^(-i/32), of 2^30.
inline constexpr std::uint32_t kPowersOfHalf[33] = {
    1073741824, 1050733751, 1028218693, 1006186087, 984625594, 963527098, 942880699, 922676710, 902905651,
    883558244,  864625413,  846098274,  827968132,  810226483, 792865000, 775875538, 759250125, 742980960,
    727060411,  711481005,  696235434,  681316545,  666717336, 652430958, 638450708, 624770026, 611382493,
    598281827,  585461881,  572916640,  560640218,  548626854, 536870912};

constexpr std::int64_t decay(std::uint64_t elapsed_us, std::uint32_t constant_us) {
  if (constant_us == 0 || elapsed_us / constant_us >= 32) return 0;
  // Half-lives that have passed, with 16 bits behind the point; 94548 is log2(e) so.
  const std::uint64_t halvings = (elapsed_us << 16) / constant_us * 94548 >> 16;
  const std::uint64_t whole = halvings >> 16;
  if (whole >= kDecayBits) return 0;
  const std::uint64_t row = halvings >> 11 & 31;
  const auto behind = static_cast<std::int64_t>(halvings & 2047);
  const std::int64_t above = kPowersOfHalf[row];
  const std::int64_t below = kPowersOfHalf[row + 1];
  return (above - (above - below) * behind / 2048) >> whole;
}

// Where what was at `from` and goes to `to` is, when so much of the way is left.
constexpr std::int64_t on_the_way(std::int64_t from, std::int64_t to, std::int64_t left) {
  return to + (from - to) * left / kDecayOne;
}

}  // namespace nvmlab
