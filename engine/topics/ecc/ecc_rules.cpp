// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/ecc/ecc_rules.hpp"

namespace nvmlab {
namespace {

using Counts = Ecc::Counts;

void clear(Fact<std::uint64_t>& counter) {
  if (counter.has_value()) counter.set(0);
}

void clear(Counts& counts) {
  constexpr Fact<std::uint64_t> Counts::*counters[] = {
      &Counts::l1_cache,    &Counts::l2_cache, &Counts::dram, &Counts::register_file, &Counts::texture_memory,
      &Counts::texture_shm, &Counts::cbu,      &Counts::sram, &Counts::total};
  for (const auto counter : counters)
    clear(counts.*counter);
}

}  // namespace

void clear_volatile(Ecc& ecc) {
  clear(ecc.corrected_volatile);
  clear(ecc.uncorrected_volatile);
  clear(ecc.sram.volatile_correctable);
  clear(ecc.sram.volatile_parity);
  clear(ecc.sram.volatile_secded);
}

void clear_aggregate(Ecc& ecc) {
  clear(ecc.corrected_aggregate);
  clear(ecc.uncorrected_aggregate);
  using Sram = Ecc::SramStatus;
  constexpr Fact<std::uint64_t> Sram::*counters[] = {&Sram::aggregate_correctable,
                                                     &Sram::aggregate_parity,
                                                     &Sram::aggregate_secded,
                                                     &Sram::source_l2,
                                                     &Sram::source_sm,
                                                     &Sram::source_microcontroller,
                                                     &Sram::source_pcie,
                                                     &Sram::source_other};
  for (const auto counter : counters)
    clear(ecc.sram.*counter);
  ecc.sram_unique.count = 0;
}

}  // namespace nvmlab
