// SPDX-License-Identifier: Apache-2.0
// Totals of error counters. Tests: tests/unit/topics/ecc_rules_test.cpp.
#pragma once

#include "engine/topics/generated/ecc.hpp"

namespace nvmlab {

// The stated total, else the sum of what the board counts; refused where it counts nothing.
constexpr Fact<std::uint64_t> total_errors(const Ecc::Counts& counts) {
  if (counts.total.known() || counts.total.code() != kNotSupported) return counts.total;
  // Boards from Ampere on count all on-chip memory as one; older ones by unit.
  const Fact<std::uint64_t>* parts[] = {
      &counts.dram,          &counts.sram,           &counts.l1_cache,    &counts.l2_cache,
      &counts.register_file, &counts.texture_memory, &counts.texture_shm, &counts.cbu};
  Fact<std::uint64_t> sum{};
  for (const Fact<std::uint64_t>* part : parts) {
    if (part->known()) sum.set(sum.value + part->value);
  }
  return sum;
}

}  // namespace nvmlab
