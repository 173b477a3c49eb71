// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/faults/fault_counters.hpp"

#include "engine/topics/ecc/ecc_rules.hpp"

namespace nvmlab {
namespace {

template <class T>
bool add(Fact<T>& counter, std::uint32_t times) {
  if (!counter.has_value()) return false;
  const T room = static_cast<T>(~T{0}) - counter.value;
  counter.set(counter.value + (times < room ? static_cast<T>(times) : room));
  return true;
}

constexpr Fact<std::uint64_t> Ecc::Counts::*kLocations[] = {
    &Ecc::Counts::dram,          &Ecc::Counts::sram,           &Ecc::Counts::l1_cache,    &Ecc::Counts::l2_cache,
    &Ecc::Counts::register_file, &Ecc::Counts::texture_memory, &Ecc::Counts::texture_shm, &Ecc::Counts::cbu};
static_assert(sizeof kLocations / sizeof *kLocations == kEccLocationCount);

// The finer counters of on-chip memory; assumed: errors are found by SEC-DED in the L2 cache.
void count_sram(Ecc::SramStatus& sram, bool corrected, std::uint32_t times) {
  add(corrected ? sram.volatile_correctable : sram.volatile_secded, times);
  add(corrected ? sram.aggregate_correctable : sram.aggregate_secded, times);
  if (!corrected) add(sram.source_l2, times);
}

bool count_errors(Ecc& ecc, bool corrected, std::uint32_t location, std::uint32_t times) {
  if (location >= kEccLocationCount || correction_missing(ecc.mode) != kSuccess) return false;
  const auto part = kLocations[location];
  Ecc::Counts& since_load = corrected ? ecc.corrected_volatile : ecc.uncorrected_volatile;
  Ecc::Counts& of_life = corrected ? ecc.corrected_aggregate : ecc.uncorrected_aggregate;
  const bool counted = add(since_load.*part, times);
  if (!add(of_life.*part, times) && !counted) return false;
  if (location == kSramLocation) count_sram(ecc.sram, corrected, times);
  return true;
}

// A bank has one spare row less.
bool count_remap(Ecc& ecc, bool correctable) {
  if (remapping_exhausted(ecc) || !add(correctable ? ecc.remapped_correctable : ecc.remapped_uncorrectable, 1))
    return false;
  if (ecc.remap_banks_max.value_or(0) > 0 && add(ecc.remap_banks_high, 1))
    ecc.remap_banks_max.set(ecc.remap_banks_max.value - 1);
  return true;
}

bool count_page(Ecc& ecc, bool single_bit, std::uint64_t now_ns) {
  if (!ecc.retirement_pending.has_value() || retirement_exhausted(ecc)) return false;
  auto& pages = single_bit ? ecc.retired_single_bit : ecc.retired_double_bit;
  if (pages.size() == pages.capacity) return false;
  constexpr std::uint64_t kPage = 0x1000;
  const std::uint64_t number = ecc.retired_single_bit.size() + ecc.retired_double_bit.size() + 1;
  Ecc::Page& page = pages[pages.count++];
  page.address.set(number * kPage);
  page.retired_us.set(now_ns / 1000);
  return true;
}

bool count_link_errors(Nvlink::Link& link, std::uint32_t times) {
  const bool replays = add(link.replay_errors, times);
  const bool recoveries = add(link.recovery_errors, times);
  return add(link.crc_flit_errors, times) || replays || recoveries;
}

}  // namespace

bool remapping_exhausted(const Ecc& ecc) {
  return ecc.remapped_correctable.value_or(0) + ecc.remapped_uncorrectable.value_or(0) >= kMostRemappedRows;
}

bool retirement_exhausted(const Ecc& ecc) {
  return ecc.retired_single_bit.size() + ecc.retired_double_bit.size() >= kMostRetiredPages;
}

bool count_fault(GpuEdit& gpu, std::uint32_t counts, std::uint32_t place, std::uint32_t times) {
  bool any = false;
  const auto count = [&](std::uint32_t what, auto&& how) {
    if ((counts & what) != 0) any = how() || any;
  };
  count(kCountsCorrected, [&] { return count_errors(gpu.edit(&Gpu::ecc), true, place, times); });
  count(kCountsUncorrected, [&] { return count_errors(gpu.edit(&Gpu::ecc), false, place, times); });
  count(kCountsRemapCorrectable, [&] { return count_remap(gpu.edit(&Gpu::ecc), true); });
  count(kCountsRemapUncorrectable, [&] { return count_remap(gpu.edit(&Gpu::ecc), false); });
  count(kCountsRetiredSingleBit, [&] { return count_page(gpu.edit(&Gpu::ecc), true, gpu.now_ns()); });
  count(kCountsRetiredDoubleBit, [&] { return count_page(gpu.edit(&Gpu::ecc), false, gpu.now_ns()); });
  count(kCountsLinkErrors, [&] {
    return place < gpu.view(&Gpu::nvlink).links.size() && count_link_errors(gpu.edit(&Gpu::nvlink).links[place], times);
  });
  count(kCountsC2cErrors, [&] {
    return gpu.view(&Gpu::c2c).links.size() > 0 && add(gpu.edit(&Gpu::c2c).links[0].interrupt_errors, times);
  });
  count(kCountsReplays, [&] { return add(gpu.edit(&Gpu::pci).replays, times); });
  return any;
}

}  // namespace nvmlab
