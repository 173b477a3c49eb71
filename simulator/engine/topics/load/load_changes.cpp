// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/load/load_changes.hpp"

#include <cstring>

#include "engine/store/hash.hpp"
#include "engine/topics/faults/fault_kinds.hpp"
#include "engine/topics/load/board_physics.hpp"
#include "engine/topics/load/load_phases.hpp"
#include "engine/topics/load/motion.hpp"
#include "engine/topics/load/reasons.hpp"
#include "engine/topics/load/set_moving.hpp"
#include "engine/topics/load/workers.hpp"

namespace nvmlab {
namespace {

constexpr std::uint64_t kDefaultWindowUs = 167'000;
constexpr std::uint32_t kBusyPercent = 10;  // from which on a capture does not show an idle board

std::uint64_t value_of(const Fact<std::uint32_t>& fact) { return fact.value_or(0); }
std::uint64_t value_of(const Fact<std::uint64_t>& fact) { return fact.value_or(0); }
std::uint64_t value_of(const Fact<std::int32_t>& fact) { return static_cast<std::uint64_t>(fact.value_or(0)); }

constexpr bool counts(Moving which) {
  switch (which) {
    case Moving::sw_power_cap_us:
    case Moving::sw_thermal_slowdown_us:
    case Moving::low_utilization_us:
    case Moving::energy_mj:
    case Moving::tx_bytes:
    case Moving::rx_bytes:
      return true;
    default:
      return false;
  }
}

void note(LoadSegment& segment, Moving which, std::uint64_t value) {
  segment.base[static_cast<std::uint32_t>(which)] = value;
}

// Clocks that a lock holds go back to where they would be by themselves, and so does the reason.
void note_free_clocks(const Clocks& clocks, LoadSegment& segment) {
  if (clocks.unlocked_graphics_mhz.has_value()) {
    note(segment, Moving::graphics_mhz, clocks.unlocked_graphics_mhz.value);
    note(segment, Moving::event_reasons, at_rest(segment, Moving::event_reasons) & ~std::uint64_t{kReasonApplication});
  }
  if (clocks.unlocked_sm_mhz.has_value()) note(segment, Moving::sm_mhz, clocks.unlocked_sm_mhz.value);
  if (clocks.unlocked_memory_mhz.has_value()) note(segment, Moving::memory_mhz, clocks.unlocked_memory_mhz.value);
}

std::uint32_t resistance(std::uint32_t rise_mk, std::uint32_t power_mw) {
  return static_cast<std::uint32_t>(std::uint64_t{rise_mk} * 1'000'000 / power_mw);
}

BoardHeat heat_of_board(const BoardPhysics& board, std::uint32_t limit_mw) {
  const auto die_mk = static_cast<std::uint32_t>(std::uint64_t{board.rise_mk} * board.die_permille / 1000);
  const std::uint32_t memory_mw = memory_power_mw(board, limit_mw, 100, 100, 1000);
  return {.die = resistance(die_mk, limit_mw),
          .sink = resistance(board.rise_mk - die_mk, limit_mw),
          .memory = resistance(board.memory_rise_mk, memory_mw > 0 ? memory_mw : 1),
          .die_us = kDieUs,
          .sink_us = board.sink_us,
          .memory_us = kMemoryUs,
          .hot_spot_permille = kHotSpotPermille,
          .fan_permille = kFanPermille};
}

// Air that no fan moves takes a third of the heat away.
void weaken_cooling(GpuEdit& gpu, BoardHeat& heat) {
  const std::uint32_t fans = gpu.view(&Gpu::thermal).fans.size();
  std::uint32_t stopped = 0;
  for (const ActiveFault& fault : gpu.faults())
    stopped += (fault.holds & kHoldsFanStopped) != 0 && fault.number < fans ? 1 : 0;
  if (stopped == 0) return;
  const std::uint32_t thirds = fans + 2 * stopped;
  heat.sink = heat.sink / fans * thirds;
  heat.sink_us = heat.sink_us / fans * thirds;
}

std::int32_t heat_mk(std::uint32_t power_mw, std::uint32_t per_watt) {
  return static_cast<std::int32_t>(std::uint64_t{power_mw} * per_watt / 1'000'000);
}

// A GPU that nothing has loaded so far, as it is.
LoadSegment begin_at_rest(const GpuEdit& gpu) {
  LoadSegment segment{};
  segment.format = LoadSegment::kFormat;
  segment.phase_count = 1;
  // Identities come from the seed of the machine and differ from GPU to GPU.
  const Text<96>& uuid = gpu.view(&Gpu::identity).uuid;
  segment.seed = fnv1a(uuid.data, uuid.length < uuid.capacity ? uuid.length : 0);
  const auto note_all = [&segment, &gpu](auto topic) {
    // Looked at alone: what visits the facts of a topic may change them, so it wants one that may be changed.
    auto& state = const_cast<std::remove_cvref_t<decltype(gpu.view(topic))>&>(gpu.view(topic));
    visit_moving(state, [&segment](const auto& fact, Moving which) { note(segment, which, value_of(fact)); });
  };
  visit_moving_topics(note_all);
  note_free_clocks(gpu.view(&Gpu::clocks), segment);

  const Power& power = gpu.view(&Gpu::power);
  const Thermal& thermal = gpu.view(&Gpu::thermal);
  const Utilization& shares = gpu.view(&Gpu::utilization);
  const std::uint32_t limit_mw = board_limit_mw(power);
  const BoardPhysics& board = physics_of(gpu);
  segment.heat = heat_of_board(board, limit_mw);
  segment.was_busy = shares.gpu_percent.value_or(0) > kBusyPercent ? 1 : 0;
  segment.rest_power_mw = power.draw_average_mw.value_or(power.draw_mw.value_or(limit_mw / 10));
  segment.idle_power_mw = segment.was_busy != 0 ? limit_mw / 8 : segment.rest_power_mw;
  if (segment.idle_power_mw > segment.rest_power_mw) segment.idle_power_mw = segment.rest_power_mw;
  if (segment.was_busy != 0) {  // what it drew at several moments tells nothing of it at rest
    note(segment, Moving::draw_mw, segment.rest_power_mw);
    note(segment, Moving::draw_average_mw, segment.rest_power_mw);
    note(segment, Moving::draw_instant_mw, segment.rest_power_mw);
  }
  segment.draw_averages = power_is_averaged(gpu) ? 1 : 0;
  segment.window_us = shares.sampling_period_us.value_or(0) > 0 ? shares.sampling_period_us.value : kDefaultWindowUs;
  segment.power_mw = segment.rest_power_mw;
  segment.die_mk = heat_mk(segment.rest_power_mw, segment.heat.die);
  segment.sink_mk = heat_mk(segment.rest_power_mw, segment.heat.sink);
  segment.rest_die_mk = static_cast<std::uint32_t>(segment.die_mk);
  segment.rest_gpu_mk = static_cast<std::int32_t>(thermal.gpu_c.value_or(30) * 1000);
  segment.air_mk = segment.rest_gpu_mk - segment.die_mk - segment.sink_mk;
  // T.Limit is stored as the limit itself (derived.hpp) where the temperature is known.
  segment.limit_mk = thermal.tlimit_c.value_or(0) * 1000;
  note(segment, Moving::tlimit_c,
       static_cast<std::uint64_t>(std::int64_t{thermal.tlimit_c.value_or(0)} - segment.rest_gpu_mk / 1000));
  for (std::uint32_t engine = 0; engine < kBusyEngines; ++engine)
    segment.percent[engine] = static_cast<std::uint8_t>(segment.base[engine]);
  return segment;
}

// Somebody may have set a temperature since the last segment ended: that is where the next one begins.
void take_up_temperatures(const Thermal& thermal, LoadSegment& segment) {
  const auto apart = [](const Fact<std::uint32_t>& told, std::int64_t mk) {
    if (!told.has_value()) return std::int32_t{0};
    const std::int64_t celsius = (mk + 500) / 1000;
    return static_cast<std::int32_t>((std::int64_t{told.value} - celsius) * 1000);
  };
  segment.sink_mk += apart(thermal.gpu_c, std::int64_t{segment.air_mk} + segment.die_mk + segment.sink_mk);
  segment.memory_mk += apart(thermal.memory_c, memory_mk(segment, segment.sink_mk, segment.memory_mk));
}

// Counters go on from where they are by now.
template <class Topic>
void take_up_counters(const Topic& topic, LoadSegment& segment) {
  visit_moving(const_cast<Topic&>(topic), [&segment](const auto& fact, Moving which) {
    if (counts(which)) note(segment, which, value_of(fact));
  });
}

template <class Topic>
void set_moving(Topic& topic, GpuEdit& gpu) {
  visit_moving(topic, SetMoving{gpu});
}
void set_moving(Thermal& thermal, GpuEdit& gpu) { visit_moving(thermal, SetMoving{gpu}, Fans::automatic); }

bool tells_anything(const GpuEdit& gpu) {
  return gpu.view(&Gpu::utilization).gpu_percent.has_value() || gpu.view(&Gpu::power).draw_mw.has_value() ||
         gpu.view(&Gpu::thermal).gpu_c.has_value() || gpu.view(&Gpu::clocks).graphics_mhz.has_value();
}

// The air changes at once, the chip does not.
void change_air(LoadSegment& segment, std::uint32_t celsius) {
  const auto air_mk = static_cast<std::int32_t>(celsius * 1000);
  segment.sink_mk += segment.air_mk - air_mk;
  segment.air_mk = air_mk;
}

// Work of a process goes on beside that of others; work of nobody takes the place of all.
Code set_work(const SetLoad& change, GpuEdit& gpu, LoadSegment& segment) {
  const Demand& demand = kDemands[static_cast<std::uint32_t>(change.kind)];
  const std::uint32_t asked[] = {change.sm_percent, change.memory_percent, change.encoder_percent,
                                 change.decoder_percent};
  std::uint32_t percent[kBusyEngines];
  for (std::uint32_t engine = 0; engine < kBusyEngines; ++engine)
    percent[engine] = asked[engine] == kOfKind ? demand.percent[engine] : asked[engine];
  if (change.pid != 0 && change.kind == LoadKind::idle && !works(segment, change.pid)) return kSuccess;
  stop_shares(gpu, segment);
  segment.kind = change.kind;
  segment.wanted_power_mw = change.power_mw;
  if (change.pid != 0) {
    if (const Code code = set_worker(segment, change.pid, change.kind, percent); code != kSuccess) return code;
    if (segment.worker_count > 0) segment.kind = static_cast<LoadKind>(segment.workers[0].kind);
    return kSuccess;
  }
  segment.worker_count = 0;
  segment.sm_percent = percent[0];
  segment.memory_percent = percent[1];
  segment.encoder_percent = percent[2];
  segment.decoder_percent = percent[3];
  return kSuccess;
}

}  // namespace

Code make(const SetLoad& change, GpuEdit& gpu) {
  if (!tells_anything(gpu)) return kNotSupported;
  const auto kind = static_cast<std::uint32_t>(change.kind);
  if (kind > static_cast<std::uint32_t>(LoadKind::encode) || change.for_ns > kLongestLoadNs) return kInvalidArgument;
  const std::uint32_t shares[] = {change.sm_percent, change.memory_percent, change.encoder_percent,
                                  change.decoder_percent};
  for (const std::uint32_t percent : shares) {
    if (percent > 100 && percent != kOfKind) return kInvalidArgument;
  }
  if (change.power_mw > kMostLoadMw && change.power_mw != kOfKind) return kInvalidArgument;
  if (change.air_c > kHottestAir && change.air_c != kSameAir) return kInvalidArgument;
  if (change.pid != 0 && place_of_process(gpu, change.pid) == kNoProcess) return kNotFound;
  LoadSegment segment{};
  const std::uint64_t now_us = gpu.now_ns() / 1000;
  bool was_idle = false;
  if (read_segment(gpu.view(&Gpu::load), segment)) {
    was_idle = segment.kind == LoadKind::idle || segment.end_us <= now_us;
  } else {
    segment = begin_at_rest(gpu);
    was_idle = true;
    segment.idle_since_us = 0;
  }
  if (was_idle) {  // what worked then does not begin again
    stop_shares(gpu, segment);
    segment.worker_count = 0;
  }
  if (const Code code = set_work(change, gpu, segment); code != kSuccess) return code;
  if (segment.kind != LoadKind::idle) {
    const bool goes_on = change.for_ns == 0 && segment.worker_count > 1 && !was_idle;
    if (!goes_on) segment.end_us = now_us + (change.for_ns != 0 ? change.for_ns : kLongestLoadNs) / 1000;
    segment.idle_since_us = segment.end_us;
  } else if (!was_idle) {
    segment.idle_since_us = now_us;
  }
  if (change.air_c != kSameAir) change_air(segment, change.air_c);
  write_segment(gpu.edit(&Gpu::load), segment);
  return kSuccess;
}

void end_load(GpuEdit& gpu) {
  LoadSegment segment{};
  if (!read_segment(gpu.view(&Gpu::load), segment)) return;
  stop_shares(gpu, segment);
  segment.kind = LoadKind::idle;
  segment.worker_count = 0;
  segment.idle_since_us = 0;  // its clocks are down at once
  write_segment(gpu.edit(&Gpu::load), segment);
}

void begin_segment(GpuEdit& gpu) {
  LoadSegment segment{};
  if (!read_segment(gpu.view(&Gpu::load), segment)) return;
  const std::uint64_t now_us = gpu.now_ns() / 1000;
  if (now_us > segment.begin_us) segment.begin_us = now_us;
  if (!drop_ended(gpu, segment)) {
    segment.kind = LoadKind::idle;
    if (segment.idle_since_us > now_us) segment.idle_since_us = now_us;
  }
  add_up(gpu, segment);
  take_up_temperatures(gpu.view(&Gpu::thermal), segment);
  take_up_counters(gpu.view(&Gpu::clocks), segment);
  take_up_counters(gpu.view(&Gpu::power), segment);
  take_up_counters(gpu.view(&Gpu::pci), segment);
  segment.heat = heat_of_board(physics_of(gpu), board_limit_mw(gpu.view(&Gpu::power)));
  weaken_cooling(gpu, segment.heat);
  lay_out_phases(gpu, segment);
  write_segment(gpu.edit(&Gpu::load), segment);
}

void set_in_motion(GpuEdit& gpu) {
  LoadSegment segment{};
  if (!read_segment(gpu.view(&Gpu::load), segment)) return;
  visit_moving_topics([&gpu](auto topic) { set_moving(gpu.edit(topic), gpu); });
  set_growing(gpu);
  move_shares(gpu, segment);
}

}  // namespace nvmlab
