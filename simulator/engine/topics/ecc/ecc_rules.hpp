// SPDX-License-Identifier: Apache-2.0
// Totals of error counters, what remapped memory adds up to, and what clearing leaves. Tests:
// tests/unit/topics/ecc_rules_test.cpp.
#pragma once

#include "engine/topics/derived.hpp"

namespace nvmlab {

// Of what the board counts; refused where it counts nothing. The counters may lie in a store that others write.
[[gnu::always_inline]] inline Fact<std::uint64_t> sum_of_parts(const Ecc::Counts& counts) {
  std::uint64_t sum = 0;
  bool any = false;
  // Which of them a board counts never changes, so a branch is cheaper than what would do without.
  const auto add = [&](const Fact<std::uint64_t>& part) {
    if ((__atomic_load_n(&part.stored_code, __ATOMIC_ACQUIRE) ^ kNotSupported) != kSuccess) return;
    sum += __atomic_load_n(&part.value, __ATOMIC_ACQUIRE);
    any = true;
  };
  // Boards from Ampere on count all on-chip memory as one; older ones by unit.
  add(counts.dram), add(counts.sram);
  add(counts.l1_cache), add(counts.l2_cache), add(counts.register_file);
  add(counts.texture_memory), add(counts.texture_shm), add(counts.cbu);
  Fact<std::uint64_t> fact{};
  if (any) fact.set(sum);
  return fact;
}

// The sum, and what a board was seen to count beyond it; of boards that tell a total alone, that.
inline Fact<std::uint64_t> total_errors(const Ecc::Counts& counts) {
  if (counts.total.has_value()) return derived::with_residue(counts.total, sum_of_parts(counts));
  return counts.total.code() == kNotSupported ? sum_of_parts(counts) : counts.total;
}

namespace derived {

// The total of one kind of errors, as the counters of that kind are told one by one.
template <Ecc::Counts Ecc::*counts>
Fact<std::uint64_t> total_errors(const Gpu& gpu) {
  const Ecc::Counts& all = gpu.ecc.*counts;
  return with_residue(load(all.total), sum_of_parts(all));
}

}  // namespace derived

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
