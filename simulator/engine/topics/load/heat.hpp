// SPDX-License-Identifier: Apache-2.0
//
// How warm a loaded board is. Every field of a segment is read by seen(), so the segment may be one that others write.
// Tests: tests/unit/load/motion_test.cpp.
#pragma once

#include "engine/topics/load/decay.hpp"
#include "engine/topics/load/load_segment.hpp"

namespace nvmlab {

inline std::int64_t heat_of(std::uint64_t power_mw, std::uint32_t resistance) {
  return static_cast<std::int64_t>(power_mw * resistance / 1'000'000);
}

// What is left of a way of which a segment tells where it begins and which power it leads to.
inline std::int64_t heat_on_the_way(const std::int32_t& from_mk, std::uint64_t power_mw,
                                    const std::uint32_t& resistance, const std::uint32_t& constant_us,
                                    std::uint64_t elapsed_us) {
  return on_the_way(seen(from_mk), heat_of(power_mw, seen(resistance)), decay(elapsed_us, seen(constant_us)));
}
inline std::int64_t die_heat(const BoardHeat& board, const LoadPhase& phase, std::uint64_t elapsed_us) {
  return heat_on_the_way(phase.die_mk, seen(phase.power_mw), board.die, board.die_us, elapsed_us);
}
inline std::int64_t sink_heat(const BoardHeat& board, const LoadPhase& phase, std::uint64_t elapsed_us) {
  return heat_on_the_way(phase.sink_mk, seen(phase.power_mw), board.sink, board.sink_us, elapsed_us);
}
inline std::int64_t memory_heat(const BoardHeat& board, const LoadPhase& phase, std::uint64_t elapsed_us) {
  return heat_on_the_way(phase.memory_mk, seen(phase.memory_power_mw), board.memory, board.memory_us, elapsed_us);
}

// How far chip and heat sink are above the air, and the memory above the heat sink, beyond what it is at rest.
struct Heat {
  std::int64_t die_mk;
  std::int64_t sink_mk;
  std::int64_t memory_mk;
};
inline Heat heat_at(const LoadSegment& segment, const LoadPhase& phase, std::uint64_t at_us) {
  const std::uint64_t elapsed = at_us - seen(phase.begin_us);
  return {die_heat(segment.heat, phase, elapsed), sink_heat(segment.heat, phase, elapsed),
          memory_heat(segment.heat, phase, elapsed)};
}

// How warm the memory is: it warms the heat sink that the chip warms too.
inline std::int64_t memory_mk(const LoadSegment& segment, std::int64_t sink_mk, std::int64_t above_sink_mk) {
  const std::int64_t rest_sink_mk = std::int64_t{seen(segment.rest_gpu_mk)} - seen(segment.rest_die_mk);
  return std::int64_t{at_rest(segment, Moving::memory_c)} * 1000 + above_sink_mk + seen(segment.air_mk) + sink_mk -
         rest_sink_mk;
}

// In percent, of a fan that ran at `rest` before.
inline std::uint64_t fan_speed(const LoadSegment& segment, std::uint64_t rest, std::int64_t gpu_mk) {
  constexpr std::int64_t stands_below_mk = 50'000;
  constexpr std::int64_t starts_at_percent = 30;
  const bool stands = rest == 0;  // a board that is silent while it is cool
  if (stands && gpu_mk < stands_below_mk) return 0;
  const std::int64_t from_mk = stands ? stands_below_mk : seen(segment.rest_gpu_mk);
  const std::int64_t lowest = stands ? starts_at_percent : static_cast<std::uint32_t>(rest);
  const std::int64_t percent = lowest + (gpu_mk - from_mk) * seen(segment.heat.fan_permille) / 1'000'000;
  return static_cast<std::uint64_t>(percent < lowest ? lowest : percent > 100 && lowest <= 100 ? 100 : percent);
}

}  // namespace nvmlab
