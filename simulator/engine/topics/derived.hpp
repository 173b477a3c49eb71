// SPDX-License-Identifier: Apache-2.0
//
// Fields that follow from others. Each is stored as the code that NVML gives and one residue: what a capture showed
// beyond what was computed from its inputs. So a profile tells what was captured, and what follows moves with its
// inputs. Where an input is absent, what was captured stands as it is. Tests: tests/unit/changes/derived_test.cpp.
#pragma once

#include "engine/state/generated/state.hpp"
#include "engine/store/words.hpp"
#include "nvmlab/abi/generated/constants.hpp"

namespace nvmlab {

// Adds up the counters that the board has; NOT_SUPPORTED if it has none. Another process may write them at the same
// time.
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

namespace derived {

// The sum of what is computed and its residue, which is a signed number in the place of an unsigned one; never below 0.
template <class T>
constexpr Fact<T> with_residue(Fact<T> stored, const Fact<T>& computed) {
  if (!stored.has_value() || !computed.has_value()) return stored;
  using Signed = std::make_signed_t<T>;
  const auto residue = static_cast<Signed>(stored.value);
  const bool below = residue < 0 && computed.value < T{0} - stored.value;
  stored.set(below ? T{0} : static_cast<T>(computed.value + stored.value));
  return stored;
}

template <class T>
constexpr Fact<T> residue_of(Fact<T> value, const Fact<T>& computed) {
  if (value.has_value() && computed.has_value()) value.set(static_cast<T>(value.value - computed.value));
  return value;
}

// The limit that is in force: the one asked for, less what a board held back when it was captured.
inline Fact<std::uint32_t> enforced_limit(const Gpu& gpu) {
  return with_residue(load(gpu.power.enforced_limit_mw), load(gpu.power.limit_mw));
}
inline Fact<std::uint32_t> module_enforced_limit(const Gpu& gpu) {
  return with_residue(load(gpu.power.module_enforced_limit_mw), load(gpu.power.module_limit_mw));
}

// How far the hottest spot of the chip, which is as much hotter than gpu_c as it was when captured, is below its limit.
// The residue is that limit less that difference.
inline Fact<std::int32_t> margin_to_limit(const Gpu& gpu) {
  Fact<std::int32_t> margin = load(gpu.thermal.tlimit_c);
  const Fact<std::uint32_t> now = load(gpu.thermal.gpu_c);
  if (margin.has_value() && now.has_value())
    margin.set(static_cast<std::int32_t>(static_cast<std::uint32_t>(margin.value) - now.value));
  return margin;
}

// HW_SLOWDOWN sums up the two reasons that hardware has.
inline constexpr std::uint64_t kReasonHwSlowdown = nvml::abi::ClocksThrottleReasonHwSlowdown;
inline constexpr std::uint64_t kReasonsOfHardware =
    nvml::abi::ClocksThrottleReasonHwThermalSlowdown | nvml::abi::ClocksThrottleReasonHwPowerBrakeSlowdown;

constexpr std::uint64_t with_summary(std::uint64_t reasons) {
  return (reasons & kReasonsOfHardware) != 0 ? reasons | kReasonHwSlowdown : reasons;
}

inline Fact<std::uint64_t> reasons_with_summary(const Gpu& gpu) {
  Fact<std::uint64_t> reasons = load(gpu.clocks.event_reasons);
  if (reasons.has_value()) reasons.set(with_summary(reasons.value));
  return reasons;
}

// The total of one kind of errors: the sum of its counters and the residue.
template <Ecc::Counts Ecc::*counts>
Fact<std::uint64_t> total_errors(const Gpu& gpu) {
  const Ecc::Counts& all = gpu.ecc.*counts;
  return with_residue(load(all.total), sum_of_parts(all));
}

// Gives each derived field of a copy of the stored state the value that NVML tells, and back.
void compute(Gpu& gpu);
void store_residues(Gpu& gpu);

// Makes the derived field at `offset` of a stored state have `value` now; false where no derived field lies there.
bool hold(Gpu& gpu, std::uint32_t offset, const void* value);

}  // namespace derived
}  // namespace nvmlab
