// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/clocks/clock_changes.hpp"

#include <cstring>

#include "engine/topics/clocks/clock_rules.hpp"
#include "engine/topics/generated/field_rules.hpp"

namespace nvmlab {
namespace {

// Volta and later can hold their clocks within a range; Ampere and later their memory clocks too.
bool at_least(const GpuEdit& gpu, std::uint32_t architecture) {
  const Fact<std::uint32_t>& own = gpu.view(&Gpu::identity).architecture;
  return own.has_value() && own.value >= architecture && own.value != nvml::abi::DEVICE_ARCH_UNKNOWN;
}

const Clocks::MemoryClock* find_memory_clock(const Clocks& clocks, std::uint32_t memory_mhz) {
  for (const Clocks::MemoryClock& each : clocks.supported) {
    if (each.memory_mhz.value == memory_mhz) return &each;
  }
  return nullptr;
}

bool runs(const Clocks& clocks, std::uint32_t memory_mhz, std::uint32_t graphics_mhz) {
  const Clocks::MemoryClock* const row = find_memory_clock(clocks, memory_mhz);
  if (row == nullptr) return false;
  for (const std::uint16_t each : row->graphics_mhz) {
    if (each == graphics_mhz) return true;
  }
  return false;
}

struct Range {
  std::uint32_t low;
  std::uint32_t high;
  bool locked;  // false: the pair means no lock at all
};

bool read_range(const Clocks& clocks, std::uint32_t low, std::uint32_t high, Range* range) {
  const bool low_symbol = low > kClockSymbols;
  const bool high_symbol = high > kClockSymbols;
  *range = {low, high, true};
  if (!low_symbol && !high_symbol) return low <= high;
  const auto known = [](std::uint32_t id) { return id == kClockOfTdp || id == kUnlimitedClock; };
  if (!known(low) || !known(high)) return false;
  // The clock that the board holds under full load without leaving its power limit.
  const std::uint32_t tdp =
      clocks.base_graphics_mhz.has_value()
          ? clocks.base_graphics_mhz.value
          : clocks.default_application_graphics_mhz.value_or(clocks.max_graphics_mhz.value_or(~0u));
  range->low = low == kClockOfTdp ? tdp : 0;
  range->high = high == kClockOfTdp ? tdp : clocks.max_graphics_mhz.value_or(~0u);
  range->locked = low == kClockOfTdp || high == kClockOfTdp;
  return true;
}

// A lock has both ends. Without an upper end there is no lock; without a lower one it begins at 0.
Code settle_lock(Fact<std::uint32_t>& low, Fact<std::uint32_t>& high, const Fact<std::uint32_t>& highest,
                 bool was_locked) {
  if (!high.has_value()) {
    if (low.has_value() && !was_locked) return kInvalidArgument;
    if (low.has_value()) low.set_error(kNotSupported);
    return kSuccess;
  }
  if (!low.has_value()) low.set(0);
  // A range that no clock of the board can be in is none.
  const bool reachable = high.value > 0 && low.value <= highest.value_or(~0u);
  return low.value <= high.value && reachable ? kSuccess : kInvalidArgument;
}

bool had_value(const GpuEdit& gpu, const Fact<std::uint32_t>& field) {
  Fact<std::uint32_t> before{};
  std::memcpy(&before, gpu.before_at(gpu.place_of_edited(&field)), sizeof before);
  return before.has_value();
}

// What the clock would be without the lock or the application clocks that hold it.
void free_clock(const GpuEdit& gpu, const Written& written, const Fact<std::uint32_t>& now, Fact<std::uint32_t>& free) {
  if (written.has(gpu.place_of_edited(&now)) && free.has_value()) free = now;
}

using Pstate = Clocks::Pstate;
using Offset = Fact<std::int32_t> Pstate::*;

// Whether any performance state of the board lets this domain be moved.
bool movable(const Clocks& clocks, Offset offset) {
  for (const Pstate& state : clocks.pstates) {
    if ((state.*offset).has_value()) return true;
  }
  return false;
}

const Pstate* find_pstate(const Clocks& clocks, std::uint32_t number) {
  if (number == kFastestPstate) return clocks.pstates.size() > 0 ? clocks.pstates.begin() : nullptr;
  for (const Pstate& state : clocks.pstates) {
    if (state.number.value == number) return &state;
  }
  return nullptr;
}

bool lifted(const Fact<std::uint32_t>& restriction) { return restriction.value_or(1) == 0; }

}  // namespace

Code rules::free_clocks(GpuEdit& gpu, std::uint32_t, const Written& written) {
  Clocks& clocks = gpu.edit(&Gpu::clocks);
  free_clock(gpu, written, clocks.graphics_mhz, clocks.unlocked_graphics_mhz);
  free_clock(gpu, written, clocks.sm_mhz, clocks.unlocked_sm_mhz);
  free_clock(gpu, written, clocks.memory_mhz, clocks.unlocked_memory_mhz);
  settle_clocks(clocks);
  return kSuccess;
}

Code rules::run_application_clocks(GpuEdit& gpu, std::uint32_t, const Written&) {
  Clocks& clocks = gpu.edit(&Gpu::clocks);
  const Fact<std::uint32_t>& memory = clocks.application_memory_mhz;
  const Fact<std::uint32_t>& graphics = clocks.application_graphics_mhz;
  if (memory.has_value() && graphics.has_value() && !runs(clocks, memory.value, graphics.value))
    return kInvalidArgument;
  settle_clocks(clocks);
  return kSuccess;
}

Code rules::lock_graphics_clocks(GpuEdit& gpu, std::uint32_t, const Written&) {
  if (!at_least(gpu, nvml::abi::DEVICE_ARCH_VOLTA)) return kNotSupported;
  Clocks& clocks = gpu.edit(&Gpu::clocks);
  Fact<std::uint32_t>& high = clocks.locked_graphics_max_mhz;
  const Code code = settle_lock(clocks.locked_graphics_min_mhz, high, clocks.max_graphics_mhz, had_value(gpu, high));
  settle_clocks(clocks);
  return code;
}

Code rules::lock_memory_clocks(GpuEdit& gpu, std::uint32_t, const Written&) {
  if (!at_least(gpu, nvml::abi::DEVICE_ARCH_AMPERE)) return kNotSupported;
  Clocks& clocks = gpu.edit(&Gpu::clocks);
  Fact<std::uint32_t>& high = clocks.locked_memory_max_mhz;
  const Code code = settle_lock(clocks.locked_memory_min_mhz, high, clocks.max_memory_mhz, had_value(gpu, high));
  settle_clocks(clocks);
  return code;
}

bool open_to_all(const SetApplicationClocks&, const GpuEdit& gpu) {
  return lifted(gpu.view(&Gpu::modes).api_restriction_application_clocks);
}

bool open_to_all(const ResetApplicationClocks&, const GpuEdit& gpu) {
  return lifted(gpu.view(&Gpu::modes).api_restriction_application_clocks);
}

bool open_to_all(const SetAutoBoost&, const GpuEdit& gpu) {
  return lifted(gpu.view(&Gpu::modes).api_restriction_auto_boost);
}

Code make(const SetApplicationClocks& change, GpuEdit& gpu) {
  const Clocks& clocks = gpu.view(&Gpu::clocks);
  if (!clocks.application_graphics_mhz.has_value()) return clocks.application_graphics_mhz.code();
  Clocks& draft = gpu.edit(&Gpu::clocks);
  draft.application_memory_mhz.set(change.memory_mhz);
  draft.application_graphics_mhz.set(change.graphics_mhz);
  return follow_fields(gpu, {&draft.application_memory_mhz, &draft.application_graphics_mhz});
}

Code make(const ResetApplicationClocks&, GpuEdit& gpu) {
  const Clocks& clocks = gpu.view(&Gpu::clocks);
  if (!clocks.application_graphics_mhz.has_value()) return clocks.application_graphics_mhz.code();
  Clocks& draft = gpu.edit(&Gpu::clocks);
  draft.application_graphics_mhz = draft.default_application_graphics_mhz;
  draft.application_memory_mhz = draft.default_application_memory_mhz;
  settle_clocks(draft);
  return kSuccess;
}

Code make(const SetAutoBoost& change, GpuEdit& gpu) {
  return write_setting(gpu, gpu.edit(&Gpu::clocks).auto_boost, change.enabled);
}

Code make(const LockGraphicsClocks& change, GpuEdit& gpu) {
  if (!at_least(gpu, nvml::abi::DEVICE_ARCH_VOLTA)) return kNotSupported;
  const Clocks& clocks = gpu.view(&Gpu::clocks);
  Range range{};
  if (!read_range(clocks, change.low_mhz, change.high_mhz, &range)) return kInvalidArgument;
  if (!range.locked) return make(UnlockGraphicsClocks{}, gpu);
  Clocks& draft = gpu.edit(&Gpu::clocks);
  draft.locked_graphics_min_mhz.set(range.low);
  draft.locked_graphics_max_mhz.set(range.high);
  return follow_fields(gpu, {&draft.locked_graphics_min_mhz, &draft.locked_graphics_max_mhz});
}

Code make(const UnlockGraphicsClocks&, GpuEdit& gpu) {
  if (!at_least(gpu, nvml::abi::DEVICE_ARCH_VOLTA)) return kNotSupported;
  Clocks& draft = gpu.edit(&Gpu::clocks);
  draft.locked_graphics_min_mhz.set_error(kNotSupported);
  draft.locked_graphics_max_mhz.set_error(kNotSupported);
  settle_clocks(draft);
  return kSuccess;
}

Code make(const LockMemoryClocks& change, GpuEdit& gpu) {
  if (!at_least(gpu, nvml::abi::DEVICE_ARCH_AMPERE)) return kNotSupported;
  Clocks& draft = gpu.edit(&Gpu::clocks);
  draft.locked_memory_min_mhz.set(change.low_mhz);
  draft.locked_memory_max_mhz.set(change.high_mhz);
  return follow_fields(gpu, {&draft.locked_memory_min_mhz, &draft.locked_memory_max_mhz});
}

Code make(const UnlockMemoryClocks&, GpuEdit& gpu) {
  if (!at_least(gpu, nvml::abi::DEVICE_ARCH_AMPERE)) return kNotSupported;
  Clocks& draft = gpu.edit(&Gpu::clocks);
  draft.locked_memory_min_mhz.set_error(kNotSupported);
  draft.locked_memory_max_mhz.set_error(kNotSupported);
  settle_clocks(draft);
  return kSuccess;
}

Code make(const SetClockOffset& change, GpuEdit& gpu) {
  if (change.domain == OffsetDomain::none) return kNotSupported;
  const Offset offset =
      change.domain == OffsetDomain::graphics ? &Pstate::graphics_offset_mhz : &Pstate::memory_offset_mhz;
  const Clocks& clocks = gpu.view(&Gpu::clocks);
  if (!movable(clocks, offset)) return kNotSupported;
  const Pstate* const state = find_pstate(clocks, change.pstate);
  if (state == nullptr) return kInvalidArgument;
  const auto position = static_cast<std::uint32_t>(state - clocks.pstates.begin());
  return write_setting(gpu, gpu.edit(&Gpu::clocks).pstates[position].*offset, static_cast<std::uint32_t>(change.mhz));
}

}  // namespace nvmlab
