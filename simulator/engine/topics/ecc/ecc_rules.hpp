// SPDX-License-Identifier: Apache-2.0
// Totals of error counters and the state of remapped rows. Tests:
// tests/unit/topics/ecc_rules_test.cpp.
#pragma once

#include "engine/topics/derived.hpp"

namespace nvmlab {

// The sum, and what a board was seen to count beyond it; of boards that tell a total alone, that.
inline Fact<std::uint64_t> total_errors(const Ecc::Counts& counts) {
  if (counts.total.has_value()) return derived::with_residue(counts.total, sum_of_parts(counts));
  return counts.total.code() == kNotSupported ? sum_of_parts(counts) : counts.total;
}

// Errors are counted where error correction is on: 0, or the code that stands for the refusal.
constexpr std::uint32_t correction_missing(const Fact<std::uint32_t>& mode) {
  if (!mode.has_value()) return mode.code();
  return mode.value != 0 ? kSuccess : kNotSupported;
}

// Rows whose spare is in use, of all that were remapped.
constexpr std::uint32_t active_remaps(const Fact<std::uint32_t>& all, const Fact<std::uint32_t>& inactive) {
  const std::uint32_t idle = inactive.value_or(0);
  return all.value_or(0) > idle ? all.value - idle : 0;
}

}  // namespace nvmlab
