// SPDX-License-Identifier: Apache-2.0
//
// Where the clocks settle under locks and application clocks. A lock is a range; the board runs the supported clock
// within it that is closest to where it would be by itself, so what the clocks would be without the lock is kept beside
// them and comes back with the reset. Physics moves the unlocked clocks and calls settle_clocks().
// Tests: tests/unit/topics/clock_rules_test.cpp, tests/drivers/functions/clocks_test.cpp.
#pragma once

#include <cstdint>

#include "engine/state/generated/state.hpp"
#include "nvmlab/abi/generated/constants.hpp"

namespace nvmlab {

// The user's clocks are what holds them back.
inline constexpr std::uint64_t kReasonApplicationClocks = nvml::abi::ClocksEventReasonApplicationsClocksSetting;

// The clock of a descending list within [low, high] that is closest to `wanted`; without one, the closest below, else
// the lowest of all. An empty list knows no grid.
template <class List>
std::uint32_t settle(std::uint32_t wanted, std::uint32_t low, std::uint32_t high, const List& list) {
  const std::uint32_t target = wanted < low ? low : wanted > high ? high : wanted;
  if (list.size() == 0 || (target == wanted && low <= wanted && wanted <= high)) return target;
  std::uint32_t best = 0;
  std::uint32_t distance = ~0u;
  std::uint32_t below = 0;
  for (const auto item : list) {
    const std::uint32_t clock = item;
    if (clock <= high && clock > below) below = clock;
    if (clock < low || clock > high) continue;
    const std::uint32_t apart = clock > target ? clock - target : target - clock;
    if (apart < distance) {
      distance = apart;
      best = clock;
    }
  }
  if (distance != ~0u) return best;
  return below != 0 ? below : std::uint32_t{list[list.size() - 1]};
}

// The graphics clocks that go with the memory clock of now, else with the fastest one.
inline const Clocks::MemoryClock* current_row(const Clocks& clocks) {
  const Clocks::MemoryClock* row = clocks.supported.size() > 0 ? &clocks.supported.items[0] : nullptr;
  for (const Clocks::MemoryClock& each : clocks.supported) {
    if (each.memory_mhz.value == clocks.memory_mhz.value) row = &each;
  }
  return row;
}

// The performance state whose memory clock is closest to the one of now.
inline void follow_performance_state(Clocks& clocks) {
  std::uint32_t distance = ~0u;
  for (const Clocks::Pstate& state : clocks.pstates) {
    const std::uint32_t low = state.memory_min_mhz.value;
    const std::uint32_t high = state.memory_max_mhz.value;
    const std::uint32_t now = clocks.memory_mhz.value;
    const std::uint32_t apart = now < low ? low - now : now > high ? now - high : 0;
    if (apart >= distance) continue;
    distance = apart;
    clocks.performance_state.set(state.number.value);
  }
}

inline void settle_memory(Clocks& clocks) {
  const bool locked = clocks.locked_memory_max_mhz.has_value();
  if (!locked && !clocks.unlocked_memory_mhz.has_value()) return;
  if (!clocks.unlocked_memory_mhz.has_value()) clocks.unlocked_memory_mhz = clocks.memory_mhz;
  std::uint32_t clock = clocks.unlocked_memory_mhz.value;
  if (locked) {
    List<std::uint32_t, decltype(clocks.supported)::capacity> list{};
    for (const Clocks::MemoryClock& each : clocks.supported)
      list[list.count++] = each.memory_mhz.value;
    clock = settle(clock, clocks.locked_memory_min_mhz.value_or(0), clocks.locked_memory_max_mhz.value, list);
  } else {
    clocks.unlocked_memory_mhz.set_error(kNotSupported);
  }
  clocks.memory_mhz.set(clock);
  follow_performance_state(clocks);
}

inline void settle_graphics(Clocks& clocks) {
  const bool locked = clocks.locked_graphics_max_mhz.has_value();
  const bool applied = clocks.application_graphics_mhz.has_value() &&
                       clocks.application_graphics_mhz.value != clocks.default_application_graphics_mhz.value_or(0);
  const bool held = locked || applied;
  const std::uint32_t ceiling = clocks.max_graphics_mhz.value_or(~0u);
  std::uint32_t low = 0;
  std::uint32_t high = ceiling;
  if (locked) {
    low = clocks.locked_graphics_min_mhz.value_or(0);
    high = clocks.locked_graphics_max_mhz.value;
  } else if (applied) {
    high = clocks.application_graphics_mhz.value;
  }
  if (clocks.event_reasons.has_value()) {
    const std::uint64_t others = clocks.event_reasons.value & ~kReasonApplicationClocks;
    clocks.event_reasons.set(held && high < ceiling ? others | kReasonApplicationClocks : others);
  }
  if (!held && !clocks.unlocked_graphics_mhz.has_value()) return;
  if (!clocks.unlocked_graphics_mhz.has_value()) {
    clocks.unlocked_graphics_mhz = clocks.graphics_mhz;
    clocks.unlocked_sm_mhz = clocks.sm_mhz;
  }
  const Clocks::MemoryClock* row = held ? current_row(clocks) : nullptr;
  const auto at = [&](const Fact<std::uint32_t>& free, Fact<std::uint32_t>& now) {
    if (!free.has_value()) return;
    now.set(row != nullptr ? settle(free.value, low, high, row->graphics_mhz)
            : held         ? settle(free.value, low, high, decltype(Clocks::MemoryClock::graphics_mhz){})
                           : free.value);
  };
  at(clocks.unlocked_graphics_mhz, clocks.graphics_mhz);
  at(clocks.unlocked_sm_mhz, clocks.sm_mhz);
  if (held) return;
  clocks.unlocked_graphics_mhz.set_error(kNotSupported);
  clocks.unlocked_sm_mhz.set_error(kNotSupported);
}

// After any change of a lock, of the application clocks or of what the clocks would be by themselves.
inline void settle_clocks(Clocks& clocks) {
  settle_memory(clocks);
  settle_graphics(clocks);
}

}  // namespace nvmlab
