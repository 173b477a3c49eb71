// SPDX-License-Identifier: Apache-2.0
//
// Which graphics clocks a board may run at, and what it draws at each. Tests: tests/unit/load/load_test.cpp.
#pragma once

#include "engine/state/generated/state.hpp"
#include "engine/store/faults.hpp"
#include "engine/topics/faults/fault_kinds.hpp"

namespace nvmlab {

// How far the graphics clock may go.
struct ClockRange {
  std::uint32_t low;
  std::uint32_t high;
  std::uint32_t ceiling;  // without a lock
};

inline ClockRange clock_range(const Clocks& clocks, std::uint32_t rest_mhz) {
  const std::uint32_t ceiling = clocks.max_graphics_mhz.value_or(rest_mhz);
  ClockRange range{0, ceiling, ceiling};
  if (clocks.locked_graphics_max_mhz.has_value()) {
    range.low = clocks.locked_graphics_min_mhz.value_or(0);
    range.high = clocks.locked_graphics_max_mhz.value;
  } else if (clocks.application_graphics_mhz.has_value() &&
             clocks.application_graphics_mhz.value != clocks.default_application_graphics_mhz.value_or(0)) {
    range.high = clocks.application_graphics_mhz.value;
  }
  if (range.high > ceiling) range.high = ceiling;
  if (range.low > range.high) range.low = range.high;
  return range;
}

// Hardware has halved the clocks, however hot the model thinks that the board is.
inline bool slowed_by_hardware(const Faults& faults) {
  for (const ActiveFault& fault : faults) {
    if ((fault.holds & (kHoldsThermalSlowdown | kHoldsPowerBrake)) != 0) return true;
  }
  return false;
}

inline const Clocks::MemoryClock* row_of(const Clocks& clocks, std::uint32_t memory_mhz) {
  const Clocks::MemoryClock* row = clocks.supported.size() > 0 ? &clocks.supported.items[0] : nullptr;
  for (const Clocks::MemoryClock& each : clocks.supported) {
    if (each.memory_mhz.value == memory_mhz) row = &each;
  }
  return row;
}

// The supported clock that is no higher; the lowest where all are.
inline std::uint32_t on_the_grid(const Clocks::MemoryClock* row, std::uint32_t mhz) {
  if (row == nullptr || row->graphics_mhz.size() == 0) return mhz;
  std::uint32_t best = 0;
  std::uint32_t lowest = ~0U;
  for (const std::uint16_t clock : row->graphics_mhz) {
    if (clock <= mhz && clock > best) best = clock;
    if (clock < lowest) lowest = clock;
  }
  return best != 0 ? best : lowest;
}

// What a board draws at work, by the clock of its SMs.
struct PowerCurve {
  std::uint32_t idle_mw;
  std::uint32_t by_clock_mw;  // at the highest clock
  std::uint32_t memory_mw;
  std::uint32_t ceiling_mhz;

  // What a trace says that the board drew at its highest clock.
  void draw(std::uint32_t power_mw) {
    const std::uint32_t beyond = power_mw > idle_mw ? power_mw - idle_mw : 0;
    if (memory_mw > beyond) memory_mw = beyond;
    by_clock_mw = beyond - memory_mw;
  }

  // Power goes with the clock and the square of the voltage, which goes down with the clock to a bit less than half.
  std::uint32_t at(std::uint32_t mhz) const {
    const std::uint64_t clock = ceiling_mhz > 0 ? std::uint64_t{mhz} * 1000 / ceiling_mhz : 1000;
    const std::uint64_t voltage = 450 + 550 * clock / 1000;
    return idle_mw + memory_mw +
           static_cast<std::uint32_t>(by_clock_mw * (clock * voltage / 1000 * voltage / 1000) / 1000);
  }
  // The highest clock in the range at which it draws no more than that.
  std::uint32_t highest_within(std::uint32_t low, std::uint32_t high, std::uint32_t power_mw) const {
    while (low < high) {
      const std::uint32_t middle = (low + high + 1) / 2;
      if (at(middle) <= power_mw) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }
};

}  // namespace nvmlab
