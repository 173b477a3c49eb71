// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/derived.hpp"

#include <cstddef>
#include <cstring>

namespace nvmlab::derived {
namespace {

// Member by member: what lies between them in a copy is anybody's guess, and images are compared byte by byte.
template <class T>
void put(Fact<T>& to, const Fact<T>& from) {
  to.value = from.value;
  to.stored_code = from.stored_code;
}

constexpr Ecc::Counts Ecc::*kCounts[] = {&Ecc::corrected_volatile, &Ecc::corrected_aggregate,
                                         &Ecc::uncorrected_volatile, &Ecc::uncorrected_aggregate};

void store_margin(Thermal& thermal, Fact<std::int32_t> margin) {
  if (margin.has_value() && thermal.gpu_c.has_value())
    margin.set(static_cast<std::int32_t>(static_cast<std::uint32_t>(margin.value) + thermal.gpu_c.value));
  put(thermal.tlimit_c, margin);
}

void store_reasons(Clocks& clocks, Fact<std::uint64_t> reasons) {
  if (reasons.has_value() && (reasons.value & kReasonsOfHardware) != 0) reasons.set(reasons.value & ~kReasonHwSlowdown);
  put(clocks.event_reasons, reasons);
}

void store_total(Ecc::Counts& counts, const Fact<std::uint64_t>& total) {
  put(counts.total, residue_of(total, sum_of_parts(counts)));
}

template <class T>
Fact<T> as(const void* value) {
  Fact<T> fact{};
  std::memcpy(&fact, value, sizeof fact);
  return fact;
}

}  // namespace

void compute(Gpu& gpu) {
  put(gpu.power.enforced_limit_mw, enforced_limit(gpu));
  put(gpu.power.module_enforced_limit_mw, module_enforced_limit(gpu));
  put(gpu.thermal.tlimit_c, margin_to_limit(gpu));
  put(gpu.clocks.event_reasons, reasons_with_summary(gpu));
  for (const auto counts : kCounts)
    put((gpu.ecc.*counts).total, with_residue((gpu.ecc.*counts).total, sum_of_parts(gpu.ecc.*counts)));
}

void store_residues(Gpu& gpu) {
  Power& power = gpu.power;
  put(power.enforced_limit_mw, residue_of(power.enforced_limit_mw, power.limit_mw));
  put(power.module_enforced_limit_mw, residue_of(power.module_enforced_limit_mw, power.module_limit_mw));
  store_margin(gpu.thermal, gpu.thermal.tlimit_c);
  store_reasons(gpu.clocks, gpu.clocks.event_reasons);
  for (const auto counts : kCounts)
    store_total(gpu.ecc.*counts, (gpu.ecc.*counts).total);
}

bool hold(Gpu& gpu, std::uint32_t offset, const void* value) {
  Power& power = gpu.power;
  switch (offset) {
    case offsetof(Gpu, power.enforced_limit_mw):
      put(power.enforced_limit_mw, residue_of(as<std::uint32_t>(value), power.limit_mw));
      return true;
    case offsetof(Gpu, power.module_enforced_limit_mw):
      put(power.module_enforced_limit_mw, residue_of(as<std::uint32_t>(value), power.module_limit_mw));
      return true;
    case offsetof(Gpu, thermal.tlimit_c):
      store_margin(gpu.thermal, as<std::int32_t>(value));
      return true;
    case offsetof(Gpu, clocks.event_reasons):
      store_reasons(gpu.clocks, as<std::uint64_t>(value));
      return true;
    default:
      break;
  }
  for (const auto counts : kCounts) {
    const auto* const place = reinterpret_cast<const unsigned char*>(&(gpu.ecc.*counts).total);
    if (place - reinterpret_cast<const unsigned char*>(&gpu) != static_cast<std::ptrdiff_t>(offset)) continue;
    store_total(gpu.ecc.*counts, as<std::uint64_t>(value));
    return true;
  }
  return false;
}

}  // namespace nvmlab::derived
