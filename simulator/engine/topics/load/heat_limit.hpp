// SPDX-License-Identifier: Apache-2.0
//
// When a phase of a load gets too hot. Tests: tests/unit/load/load_test.cpp.
#pragma once

#include "engine/topics/load/motion.hpp"

namespace nvmlab {

inline constexpr std::uint64_t kLongestRiseUs = 14'400'000'000;  // within which a board is as hot as it will be

// Where software begins to slow the board down; false where the board tells no such temperature.
inline bool hottest_mk(const Thermal& thermal, const LoadSegment& segment, const LoadPhase& phase, std::int64_t& mk) {
  const std::int64_t die_mk = std::int64_t{phase.power_mw} * segment.heat.die / 1'000'000;
  const std::int64_t spot_mk = (die_mk - segment.rest_die_mk) * segment.heat.hot_spot_permille / 1000;
  if (thermal.tlimit_c.has_value() && thermal.gpu_max_tlimit_c.has_value()) {
    mk = segment.limit_mk - std::int64_t{thermal.gpu_max_tlimit_c.value} * 1000 - spot_mk;
    return true;
  }
  mk = std::int64_t{thermal.gpu_max_c.value_or(0)} * 1000;
  return thermal.gpu_max_c.has_value() && thermal.gpu_c.has_value();
}

inline std::int64_t chip_mk(const LoadSegment& segment, const LoadPhase& phase, std::uint64_t at_us) {
  const Heat heat = heat_at(segment, phase, at_us);
  return segment.air_mk + heat.die_mk + heat.sink_mk;
}

// When the phase gets as hot as that, or kNoEnd.
inline std::uint64_t time_of(const LoadSegment& segment, const LoadPhase& phase, std::int64_t mk) {
  if (chip_mk(segment, phase, phase.begin_us) >= mk) return phase.begin_us;
  std::uint64_t before = phase.begin_us;
  std::uint64_t after = phase.begin_us + kLongestRiseUs;
  if (chip_mk(segment, phase, after) < mk) return kNoEnd;
  while (after - before > 1) {
    const std::uint64_t middle = before + (after - before) / 2;
    (chip_mk(segment, phase, middle) < mk ? before : after) = middle;
  }
  return after;
}

}  // namespace nvmlab
