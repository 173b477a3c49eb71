// SPDX-License-Identifier: Apache-2.0
//
// How a loaded GPU moves: one segment, in phases in which it draws the same power. The writer that publishes it has
// worked out all that follows from the load, the board and its limits (load_phases.hpp); who reads evaluates one phase
// at the machine time of now (motion.hpp). Times are microseconds of machine time since 1970, temperatures thousandths
// of a degree. Trivially copyable and read from a file that others write: nothing in it leads anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "engine/state/generated/state.hpp"

namespace nvmlab {

// A field of a segment that others may be writing: it is read once, and as the words of a copy are (words.hpp).
template <class T>
[[gnu::always_inline]] inline T seen(const T& field) {
  return __atomic_load_n(&field, __ATOMIC_ACQUIRE);
}

inline constexpr std::uint32_t kMovingFans = 8;

// What moves.
enum class Moving : std::uint32_t {
  gpu_percent,
  memory_percent,
  encoder_percent,
  decoder_percent,
  performance_state,
  graphics_mhz,
  sm_mhz,
  memory_mhz,
  video_mhz,
  event_reasons,
  sw_power_cap_us,
  sw_thermal_slowdown_us,
  low_utilization_us,
  draw_mw,
  draw_average_mw,
  draw_instant_mw,
  energy_mj,
  memory_draw_average_mw,
  memory_draw_instant_mw,
  module_draw_average_mw,
  module_draw_instant_mw,
  gpu_c,
  memory_c,
  tlimit_c,
  tx_kbps,
  rx_kbps,
  tx_bytes,
  rx_bytes,
  link_kib,                             // of payload that each NVLink carries one way, since the segment began
  sm_cycles,                            // of an SM, since then
  busy_sm_cycles,                       // of these, those in which it worked
  fan_percent,                          // of fan 0; the others follow
  fan_rpm = fan_percent + kMovingFans,  // likewise
};
inline constexpr std::uint32_t kMovingCount = static_cast<std::uint32_t>(Moving::fan_rpm) + kMovingFans;

// Beside them, what the errors of links have grown by; a counter of one has in its upper half what it stood at.
inline constexpr std::uint32_t kMovingLinkErrors = 0xFFFF;

// The engines whose share is told: as Moving begins.
inline constexpr std::uint32_t kBusyEngines = 4;

struct LoadPhase {
  std::uint64_t begin_us;
  // Since the segment began, when this phase does.
  std::uint64_t energy_nj;
  std::uint64_t capped_us;
  std::uint64_t hot_us;
  std::uint64_t unused_us;
  std::uint64_t tx_bytes;
  std::uint64_t rx_bytes;
  std::uint32_t power_mw;
  std::uint32_t memory_power_mw;         // beyond what the memory draws at rest
  std::uint32_t memory_power_before_mw;  // and drew before this phase
  std::uint32_t graphics_mhz;
  std::uint32_t sm_mhz;
  std::uint32_t memory_mhz;
  std::uint32_t video_mhz;
  std::uint32_t performance_state;
  std::uint32_t reasons;
  std::uint32_t tx_kbps;
  std::uint32_t rx_kbps;
  std::uint32_t noise_permille;  // of the power
  std::uint8_t percent[kBusyEngines];
  std::uint8_t percent_before[kBusyEngines];
  // Heat of chip and heat sink above the air, and of the memory above the heat sink beyond what it is at rest, when
  // this phase begins.
  std::int32_t die_mk;
  std::int32_t sink_mk;
  std::int32_t memory_mk;
  std::uint32_t link_kibps;  // of payload, each NVLink and way
};

inline constexpr std::uint32_t kMaxPhases = 5;
inline constexpr std::uint64_t kNoEnd = ~std::uint64_t{0};

inline constexpr std::uint32_t kOfKind = ~std::uint32_t{0};  // what the kind of load asks for

enum class LoadKind : std::uint32_t { idle, training, inference, memory, encode };

// How the board takes power and gives heat away; see board_physics.hpp. Thermal resistance is in microkelvins a watt.
struct BoardHeat {
  std::uint32_t die;
  std::uint32_t sink;
  std::uint32_t memory;
  std::uint32_t die_us;  // time constants
  std::uint32_t sink_us;
  std::uint32_t memory_us;
  std::uint32_t hot_spot_permille;  // by which the hottest spot rises more than the sensor, of the die's rise
  std::uint32_t fan_permille;       // percent of fan speed for a kelvin, in thousandths
};

// A process that works, and how busy it would keep the GPU, or its MIG instance, alone.
struct Worker {
  std::uint32_t pid;
  std::uint8_t kind;  // LoadKind
  std::uint8_t percent[kBusyEngines];
  std::uint8_t reserved[3];
};
inline constexpr std::uint32_t kMaxWorkers = 8;

struct LoadSegment {
  static constexpr std::uint32_t kFormat = 4;

  std::uint32_t format;
  std::uint32_t phase_count;
  std::uint64_t seed;
  std::uint64_t begin_us;
  // What was asked for, of all processes together.
  LoadKind kind;
  std::uint32_t sm_percent;
  std::uint32_t memory_percent;
  std::uint32_t encoder_percent;
  std::uint32_t decoder_percent;
  std::uint32_t wanted_power_mw;  // at the highest clocks; kOfKind: what follows from all of these
  std::uint32_t worker_count;     // processes whose work it is; none: nobody knows whose
  std::uint32_t idle_power_mw;    // of the board, without work
  std::uint64_t end_us;           // of the load, or kNoEnd
  std::uint64_t idle_since_us;    // when it became idle, where it is
  // The board at rest, as it was before anything loaded it.
  std::uint32_t rest_power_mw;  // that goes with the temperatures
  std::uint32_t rest_die_mk;
  std::int32_t rest_gpu_mk;
  std::int32_t air_mk;
  std::int32_t limit_mk;        // where T.Limit would be zero
  std::uint32_t window_us;      // over which shares are averaged
  std::uint32_t draw_averages;  // 1: nvmlDeviceGetPowerUsage tells a one-second average
  std::uint32_t was_busy;       // 1: the capture shows a board at work, so being idle is not how it was
  BoardHeat heat;
  // Where the last segment ended.
  std::uint32_t power_mw;  // its average
  std::uint32_t memory_power_mw;
  std::uint64_t energy_rest_nj;  // of a millijoule
  std::int32_t die_mk;
  std::int32_t sink_mk;
  std::int32_t memory_mk;  // above the heat sink
  std::uint8_t percent[kBusyEngines];
  // Of what counts, the count when this segment begins; of all else, the value at rest.
  std::uint64_t base[kMovingCount];
  Worker workers[kMaxWorkers];
  LoadPhase phases[kMaxPhases];
};
static_assert(std::is_trivially_copyable_v<LoadSegment> && sizeof(LoadSegment) <= decltype(Load::segment)::capacity);

inline constexpr std::uint32_t kMostRestMk = 1'000'000;

inline std::uint32_t at_rest(const LoadSegment& segment, Moving which) {
  return static_cast<std::uint32_t>(seen(segment.base[static_cast<std::uint32_t>(which)]));
}

// Whether arithmetic with them stays within 64 bits; whatever else somebody has damaged leads to wrong readings at
// worst.
inline bool plausible(const BoardHeat& heat) {
  constexpr std::uint32_t most_resistance = 10'000'000;
  return seen(heat.die) <= most_resistance && seen(heat.sink) <= most_resistance &&
         seen(heat.memory) <= most_resistance && seen(heat.hot_spot_permille) <= 1000 &&
         seen(heat.fan_permille) <= 100'000;
}
inline bool plausible(const LoadPhase& phase) {
  constexpr std::uint32_t most_mw = 100'000'000;
  return seen(phase.power_mw) <= most_mw && seen(phase.memory_power_mw) <= most_mw && seen(phase.noise_permille) <= 100;
}
inline bool plausible(const LoadSegment& segment) {
  bool good = segment.format == LoadSegment::kFormat && segment.phase_count > 0 && segment.phase_count <= kMaxPhases;
  good = good && static_cast<std::uint32_t>(segment.kind) <= static_cast<std::uint32_t>(LoadKind::encode);
  good = good && segment.worker_count <= kMaxWorkers;
  good = good && plausible(segment.heat) && segment.rest_die_mk <= kMostRestMk;
  for (const LoadPhase& phase : segment.phases)
    good = good && plausible(phase);
  return good;
}

// False, and `segment` anything, where nothing has loaded the GPU.
inline bool read_segment(const Load& from, LoadSegment& segment) {
  if (!from.segment.has_value()) return false;
  std::memcpy(&segment, from.segment.data, sizeof segment);
  return plausible(segment);
}

// The same where it lies, for who takes single fields of it by seen().
inline const LoadSegment& published_segment(const Load& load) {
  static_assert(alignof(Load) % alignof(LoadSegment) == 0 &&
                offsetof(decltype(Load::segment), data) % alignof(LoadSegment) == 0);
  return *reinterpret_cast<const LoadSegment*>(load.segment.data);
}

inline void write_segment(Load& to, const LoadSegment& segment) {
  std::memcpy(to.segment.data, &segment, sizeof segment);
  to.segment.stored_code = kSuccess ^ kNotSupported;
}

}  // namespace nvmlab
