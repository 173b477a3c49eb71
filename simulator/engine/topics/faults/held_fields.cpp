// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/faults/held_fields.hpp"

#include "engine/topics/clocks/clock_rules.hpp"
#include "engine/topics/derived.hpp"

namespace nvmlab {
namespace {

// Puts values over fields of a draft. What is already so needs nothing kept.
class Cover {
 public:
  explicit Cover(GpuEdit& draft) : draft_(draft) {}

  // A field that the board does not have stays so.
  template <class T>
  void put(Fact<T>& field, T value) {
    if (!field.has_value()) return;
    any_ = true;
    if (field.value == value || !keep(field)) return;
    field.set(value);
  }

  bool any() const { return any_; }
  bool full() const { return full_; }

 private:
  template <class T>
  bool keep(const Fact<T>& field) {
    Faults& faults = draft_.faults();
    const std::uint32_t offset = draft_.place_of_edited(&field);
    if (faults.find_beneath(offset) != nullptr) return true;
    if (faults.beneath_size() == Faults::kMostBeneath) {
      full_ = true;
      return false;
    }
    Beneath& entry = faults.beneath[faults.beneath_count++];
    entry = {offset, sizeof field, {}};
    std::memcpy(entry.value, &field, sizeof field);
    return true;
  }

  GpuEdit& draft_;
  bool any_ = false;
  bool full_ = false;
};

constexpr std::uint64_t kThermalReason = nvml::abi::ClocksThrottleReasonHwThermalSlowdown;
constexpr std::uint64_t kBrakeReason = nvml::abi::ClocksThrottleReasonHwPowerBrakeSlowdown;

std::uint32_t lowest_clock(const Clocks& clocks) {
  const Clocks::MemoryClock* const row = current_row(clocks);
  const std::uint32_t count = row == nullptr ? 0 : row->graphics_mhz.size();
  return count == 0 ? 0 : row->graphics_mhz[count - 1];
}

// Hardware halves the clocks, down to the lowest that there is; clocks that are lower already stay.
void slow_down(Cover& cover, Clocks& clocks, std::uint64_t reason) {
  if (!clocks.event_reasons.has_value()) return;
  const std::uint64_t not_idle = clocks.event_reasons.value & ~std::uint64_t{nvml::abi::ClocksEventReasonGpuIdle};
  cover.put(clocks.event_reasons, not_idle | reason);
  const std::uint32_t lowest = lowest_clock(clocks);
  const auto halve = [&](Fact<std::uint32_t>& clock, const Fact<std::uint32_t>& highest) {
    if (!clock.has_value() || !highest.has_value() || clock.value <= highest.value / 2) return;
    const std::uint32_t half = highest.value / 2;
    cover.put(clock, half > lowest ? half : lowest);
  };
  halve(clocks.graphics_mhz, clocks.max_graphics_mhz);
  halve(clocks.sm_mhz, clocks.max_sm_mhz);
}

// As hot as the board has to be for hardware to slow it down.
void heat(Cover& cover, Thermal& thermal) {
  if (!thermal.gpu_c.has_value()) return;
  std::int64_t threshold = -1;
  if (thermal.slowdown_c.has_value()) {
    threshold = thermal.slowdown_c.value;
  } else if (thermal.tlimit_c.has_value() && thermal.slowdown_tlimit_c.has_value()) {
    // What is stored of T.Limit is the sum of both (derived::margin_to_limit).
    threshold = std::int64_t{thermal.tlimit_c.value} - thermal.slowdown_tlimit_c.value;
  }
  constexpr std::int64_t kHottest = 255;
  if (threshold > thermal.gpu_c.value && threshold <= kHottest)
    cover.put(thermal.gpu_c, static_cast<std::uint32_t>(threshold));
}

void stop_fan(Cover& cover, Thermal& thermal, std::uint32_t number) {
  if (number >= thermal.fans.size()) return;
  cover.put(thermal.fans[number].rpm, 0u);
  cover.put(thermal.fans[number].speed_percent, 0u);
}

void degrade_link(Cover& cover, Pci& pci) {
  constexpr std::uint32_t kSpeedOfGen1 = 2500;
  cover.put(pci.link_gen_current, 1u);
  if (pci.link_width_max.has_value() && pci.link_width_max.value > 1)
    cover.put(pci.link_width_current, pci.link_width_max.value / 2);
  cover.put(pci.link_speed_mbps, kSpeedOfGen1);
}

// Less bandwidth than the links could give; of a mask that tells nothing of it, the summary alone.
void degrade_fabric(Cover& cover, Fabric& fabric) {
  using namespace nvml::abi;
  constexpr std::uint32_t kBandwidth = GPU_FABRIC_HEALTH_MASK_WIDTH_DEGRADED_BW;
  constexpr std::uint32_t kDegraded = GPU_FABRIC_HEALTH_MASK_DEGRADED_BW_TRUE;
  constexpr std::uint32_t kLimitedCapacity = 3;
  static_assert(GPU_FABRIC_HEALTH_MASK_SHIFT_DEGRADED_BW == 0);
  const std::uint32_t mask = fabric.health_mask.value_or(0);
  if ((mask & kBandwidth) != 0) cover.put(fabric.health_mask, (mask & ~kBandwidth) | kDegraded);
  cover.put(fabric.health_summary, kLimitedCapacity);
}

// Nothing is free any more.
void fill_memory(Cover& cover, Memory& memory) {
  if (!memory.total_bytes.has_value()) return;
  const std::uint64_t reserved = memory.reserved_bytes.value_or(0);
  if (memory.total_bytes.value > reserved) cover.put(memory.used_bytes, memory.total_bytes.value - reserved);
}

void hold_repairs(Cover& cover, const ActiveFault& fault, GpuEdit& gpu) {
  constexpr std::uint32_t kMemory =
      kHoldsRemapPending | kHoldsRemapFailed | kHoldsRetirementPending | kHoldsRepairPending;
  if ((fault.holds & kMemory) == 0) return;
  Ecc& ecc = gpu.edit(&Gpu::ecc);
  if ((fault.holds & kHoldsRemapPending) != 0) cover.put(ecc.remap_pending, 1u);
  if ((fault.holds & kHoldsRemapFailed) != 0) cover.put(ecc.remap_failed, 1u);
  if ((fault.holds & kHoldsRepairPending) != 0) {
    cover.put(ecc.channel_repair_pending, 1u);
    cover.put(ecc.tpc_repair_pending, 1u);
  }
  if ((fault.holds & kHoldsRetirementPending) == 0) return;
  cover.put(ecc.retirement_pending, 1u);
  const bool single = static_cast<FaultKind>(fault.kind) == FaultKind::page_retirement;
  cover.put(single ? ecc.retirement_pending_single_bit : ecc.retirement_pending_double_bit, 1u);
}

// The link that a fault is about; an Xid names none, and then it is the first.
std::uint32_t link_of(const ActiveFault& fault) {
  return static_cast<FaultKind>(fault.kind) == FaultKind::xid ? 0 : fault.number;
}

void hold(Cover& cover, const ActiveFault& fault, GpuEdit& gpu) {
  hold_repairs(cover, fault, gpu);
  if ((fault.holds & kHoldsLinkDown) != 0 && link_of(fault) < gpu.view(&Gpu::nvlink).links.size())
    cover.put(gpu.edit(&Gpu::nvlink).links[link_of(fault)].active, 0u);
  if ((fault.holds & kHoldsThermalSlowdown) != 0) {
    slow_down(cover, gpu.edit(&Gpu::clocks), kThermalReason);
    heat(cover, gpu.edit(&Gpu::thermal));
  }
  if ((fault.holds & kHoldsPowerBrake) != 0) slow_down(cover, gpu.edit(&Gpu::clocks), kBrakeReason);
  if ((fault.holds & kHoldsFanStopped) != 0) stop_fan(cover, gpu.edit(&Gpu::thermal), fault.number);
  if ((fault.holds & kHoldsPcieDegraded) != 0) degrade_link(cover, gpu.edit(&Gpu::pci));
  if ((fault.holds & kHoldsFabricDegraded) != 0) degrade_fabric(cover, gpu.edit(&Gpu::fabric));
  if ((fault.holds & kHoldsMemory) != 0) fill_memory(cover, gpu.edit(&Gpu::memory));
}

// What weighs more is told; as the resource manager ranks them.
std::uint32_t rank(std::uint32_t action) {
  switch (action) {
    case kRebootNode:
      return 4;
    case kResetGpu:
      return 3;
    case kDrainAndReset:
      return 2;
    case kDrainP2p:
      return 1;
    default:
      return 0;
  }
}

void ask_for_recovery(Cover& cover, GpuEdit& gpu) {
  std::uint32_t action = kNoRecovery;
  for (const ActiveFault& fault : gpu.faults()) {
    if (rank(fault.recovery) > rank(action)) action = fault.recovery;
  }
  if (action == kNoRecovery) return;
  Modes& modes = gpu.edit(&Gpu::modes);
  if (rank(modes.recovery_action.value_or(kNoRecovery)) < rank(action)) cover.put(modes.recovery_action, action);
  if (action == kResetGpu) cover.put(modes.reset_required, 1u);
  if (action == kDrainAndReset) cover.put(modes.drain_and_reset_recommended, 1u);
}

void count_time(Fact<std::uint64_t>& counter, std::uint64_t microseconds) {
  if (counter.has_value()) counter.set(counter.value + microseconds);
}

// Counters of the time that a slowdown has lasted.
void count_slowdowns(GpuEdit& gpu) {
  for (ActiveFault& fault : gpu.faults()) {
    const std::uint64_t elapsed_us = gpu.now_ns() > fault.counted_ns ? (gpu.now_ns() - fault.counted_ns) / 1000 : 0;
    if (elapsed_us == 0) continue;
    if ((fault.holds & kHoldsThermalSlowdown) != 0)
      count_time(gpu.edit(&Gpu::clocks).hw_thermal_slowdown_us, elapsed_us);
    if ((fault.holds & kHoldsPowerBrake) != 0) count_time(gpu.edit(&Gpu::clocks).hw_power_brake_us, elapsed_us);
    fault.counted_ns += elapsed_us * 1000;
  }
}

}  // namespace

void lift_faults(GpuEdit& gpu) {
  Faults& faults = gpu.faults();
  for (std::uint32_t i = faults.beneath_size(); i-- > 0;) {
    const Beneath& entry = faults.beneath[i];
    unsigned char* const at = gpu.edit_at(entry.offset);
    const bool whole = at != nullptr && entry.size <= sizeof entry.value && entry.offset % 8 == 0 &&
                       entry.offset + std::uint64_t{entry.size} <= sizeof(Gpu);
    if (whole) std::memcpy(at, entry.value, entry.size);
    faults.beneath[i] = {};
  }
  faults.beneath_count = 0;
  count_slowdowns(gpu);
}

bool impose_faults(GpuEdit& gpu) {
  if (gpu.faults().size() == 0) return true;
  Cover cover(gpu);
  for (const ActiveFault& fault : gpu.faults())
    hold(cover, fault, gpu);
  ask_for_recovery(cover, gpu);
  return !cover.full();
}

std::uint32_t shown(GpuEdit& gpu, const ActiveFault& fault) {
  std::uint32_t all = 0;
  ActiveFault part = fault;
  for (std::uint32_t rest = fault.holds; rest != 0; rest &= rest - 1) {
    part.holds = rest & (~rest + 1);
    Cover cover(gpu);
    hold(cover, part, gpu);
    if (cover.any()) all |= part.holds;
    lift_faults(gpu);
  }
  return all;
}

}  // namespace nvmlab
