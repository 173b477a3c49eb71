// SPDX-License-Identifier: Apache-2.0
//
// Readings that move. While something loads a GPU, each fact that follows from the load has the code kMoving and, in
// the place of its value, which of the moving values it is. So a getter of a GPU that nothing loads costs what it cost
// without loads, and one that reads a moving fact finds out where it looks for errors anyway.
//
// What a moving fact is, is a function of the published segment and of machine time alone: readers write nothing, all
// of them see the same, and a clock that is advanced by an hour leads where sixty minutes lead. Writers settle() before
// they change anything, so rules of topics see plain values, and set_in_motion() when they are done.
// Tests: tests/unit/load/motion_test.cpp, tests/drivers/functions/load_test.cpp.
#pragma once

#include "engine/store/edit.hpp"
#include "engine/topics/load/growth.hpp"
#include "engine/topics/load/heat.hpp"
#include "engine/topics/load/load_segment.hpp"
#include "engine/topics/load/moving_part.hpp"

namespace nvmlab {

// The phase that a moment lies in, and where that ends.
struct PhaseAt {
  const LoadPhase& phase;
  std::uint64_t begin_us;
  std::uint64_t end_us;  // or kNoEnd
};

// Energy since the segment began, in nanojoules; before it, by the power of then.
std::int64_t energy_nj(const LoadSegment& segment, std::uint64_t at_us);

// A loaded GPU at one moment. Most calls ask for one value, so each is worked out when it is asked for, from the few
// fields that it follows from, which are read where they lie: within consistent() of the GPU, where others write it.
class Motion {
 public:
  Motion(const LoadSegment& segment, std::uint64_t now_us);
  // Of a GPU of which some facts move.
  Motion(const Gpu& gpu, std::uint64_t now_ns);

  // Zero where the segment is damaged, nothing has loaded the GPU, or there is no such value.
  std::uint64_t value(Moving which) const {
    std::uint64_t of_curve = 0;
    return curved_ != nullptr && follows_curve(which, of_curve) ? of_curve : value_of_load(which);
  }
  // By which the counters of links that follow a curve have grown.
  std::uint64_t link_errors() const;

 private:
  std::uint64_t value_of_load(Moving which) const;
  bool follows_curve(Moving which, std::uint64_t& value) const;  // of a GPU that has curves
  std::uint64_t base(Moving which) const { return seen(segment_.base[static_cast<std::uint32_t>(which)]); }
  std::uint64_t share(std::uint32_t engine) const;
  std::uint64_t draw(Moving which, std::uint64_t power_mw) const;
  std::uint64_t average_draw(Moving which) const;
  std::uint64_t instant_draw(Moving which) const;
  std::uint64_t memory_draw() const;
  std::uint64_t energy() const;
  std::int64_t gpu_mk() const;
  std::uint64_t memory_temperature() const;
  std::uint64_t thermal_margin() const;
  std::uint64_t fan_percent(std::uint32_t number) const;
  std::uint64_t fan_rpm(std::uint32_t number) const;
  std::uint64_t temperature_or_fan(Moving which) const;
  std::uint64_t time_held_back(Moving which, std::uint64_t before_us, std::uint64_t reason) const;
  std::uint64_t rate(Moving which, std::uint32_t kbps) const;

  const Load* curved_ = nullptr;  // where readings follow curves of their own (metric_curves.hpp)
  std::uint64_t now_ms_ = 0;      // of these
  const LoadSegment& segment_;
  std::uint64_t now_us_;
  PhaseAt at_;
  bool good_;
};

template <class T>
void resolve(Fact<T>& fact, const Motion& motion) {
  if (!fact.moves()) return;
  const auto what = static_cast<std::uint64_t>(fact.value);
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    if (static_cast<std::uint32_t>(what) == kMovingLinkErrors) return fact.set(motion.link_errors() + (what >> 32));
    if ((what & kGrows) != 0) return fact.set(grown(what, motion));
  }
  const auto low = static_cast<std::uint32_t>(what);
  // NOLINTBEGIN(clang-analyzer-optin.core.EnumCastOutOfRange): others may have damaged it, and value() expects that
  if constexpr (std::is_same_v<T, std::uint32_t>) {
    if (low >> 7 != 0) return fact.set(static_cast<T>(part_of(low, motion.value(static_cast<Moving>(low & 0x7F)))));
  }
  // Where a rule has told a multiple, its factor stands in the upper half; see times().
  const std::uint64_t factor = sizeof(T) == 8 && what >> 32 != 0 ? what >> 32 : 1;
  fact.set(static_cast<T>(motion.value(static_cast<Moving>(low)) * factor));
  // NOLINTEND(clang-analyzer-optin.core.EnumCastOutOfRange)
}

// Calls `visit` with each fact of a topic that may move, and which of the values it is.
template <class Visit>
void visit_moving(Utilization& state, const Visit& visit) {
  visit(state.gpu_percent, Moving::gpu_percent);
  visit(state.memory_percent, Moving::memory_percent);
  visit(state.encoder_percent, Moving::encoder_percent);
  visit(state.decoder_percent, Moving::decoder_percent);
}
template <class Visit>
void visit_moving(Clocks& state, const Visit& visit) {
  visit(state.performance_state, Moving::performance_state);
  visit(state.graphics_mhz, Moving::graphics_mhz);
  visit(state.sm_mhz, Moving::sm_mhz);
  visit(state.memory_mhz, Moving::memory_mhz);
  visit(state.video_mhz, Moving::video_mhz);
  visit(state.event_reasons, Moving::event_reasons);
  visit(state.sw_power_cap_us, Moving::sw_power_cap_us);
  visit(state.sw_thermal_slowdown_us, Moving::sw_thermal_slowdown_us);
  visit(state.low_utilization_us, Moving::low_utilization_us);
}
template <class Visit>
void visit_moving(Power& state, const Visit& visit) {
  visit(state.draw_mw, Moving::draw_mw);
  visit(state.draw_average_mw, Moving::draw_average_mw);
  visit(state.draw_instant_mw, Moving::draw_instant_mw);
  visit(state.energy_mj, Moving::energy_mj);
  visit(state.memory_draw_average_mw, Moving::memory_draw_average_mw);
  visit(state.memory_draw_instant_mw, Moving::memory_draw_instant_mw);
  visit(state.module_draw_average_mw, Moving::module_draw_average_mw);
  visit(state.module_draw_instant_mw, Moving::module_draw_instant_mw);
}
// Fan 0 alone has a name among the values; the others follow it.
constexpr Moving of_fan(Moving first, std::uint32_t number) {
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange)
  return static_cast<Moving>(static_cast<std::uint32_t>(first) + number);
}
// The speed of a fan that somebody drives by hand does not move.
enum class Fans : std::uint8_t { all, automatic };
template <class Visit>
void visit_moving(Thermal& state, const Visit& visit, Fans fans = Fans::all) {
  visit(state.gpu_c, Moving::gpu_c);
  visit(state.memory_c, Moving::memory_c);
  visit(state.tlimit_c, Moving::tlimit_c);
  for (std::uint32_t i = 0; i < state.fans.size(); ++i) {
    Thermal::Fan& fan = state.fans[i];
    visit(fan.automatic_percent, of_fan(Moving::fan_percent, i));
    if (fans == Fans::automatic && fan.policy.value_or(0) != 0) continue;
    visit(fan.target_percent, of_fan(Moving::fan_percent, i));
    visit(fan.speed_percent, of_fan(Moving::fan_percent, i));
    visit(fan.rpm, of_fan(Moving::fan_rpm, i));
  }
}
template <class Visit>
void visit_moving(Pci& state, const Visit& visit) {
  visit(state.tx_kbps, Moving::tx_kbps);
  visit(state.rx_kbps, Moving::rx_kbps);
  visit(state.tx_bytes, Moving::tx_bytes);
  visit(state.rx_bytes, Moving::rx_bytes);
}

// What counts the errors of a link.
template <class Visit>
void visit_error_counters(Nvlink::Link& link, const Visit& visit) {
  visit(link.replay_errors);
  visit(link.recovery_errors);
  visit(link.crc_flit_errors);
  visit(link.crc_data_errors);
}

// Gives the moving facts of a copy of a topic the values of now, as they are stored: T.Limit is (derived.hpp) a
// residue.
template <class Topic>
void resolve_topic(Topic& topic, const Motion& motion) {
  visit_moving(topic, [&motion](auto& fact, Moving) { resolve(fact, motion); });
}
inline void resolve_topic(Thermal& thermal, const Motion& motion) {
  const bool moves = thermal.tlimit_c.moves();
  visit_moving(thermal, [&motion](auto& fact, Moving) { resolve(fact, motion); });
  if (moves && thermal.gpu_c.has_value()) thermal.tlimit_c.value += static_cast<std::int32_t>(thermal.gpu_c.value);
}

// The shares of a process that works.
template <class Visit>
void visit_moving(Processes::Process& process, const Visit& visit) {
  visit(process.sm_percent, Moving::gpu_percent);
  visit(process.memory_percent, Moving::memory_percent);
  visit(process.encoder_percent, Moving::encoder_percent);
  visit(process.decoder_percent, Moving::decoder_percent);
}
inline void resolve(Processes::Process& process, const Motion& motion) {
  visit_moving(process, [&motion](auto& fact, Moving) { resolve(fact, motion); });
}
inline void resolve(Processes& processes, const Motion& motion) {
  for (std::uint32_t i = 0; i < processes.running.size(); ++i)
    resolve(processes.running.items[i], motion);
}

// Topics of which something may move, but for that.
template <class Visit>
void visit_moving_topics(const Visit& visit) {
  visit(&Gpu::utilization);
  visit(&Gpu::clocks);
  visit(&Gpu::power);
  visit(&Gpu::thermal);
  visit(&Gpu::pci);
}
template <class Topic>
inline constexpr bool kMayMove =
    std::is_same_v<Topic, Utilization> || std::is_same_v<Topic, Clocks> || std::is_same_v<Topic, Power> ||
    std::is_same_v<Topic, Thermal> || std::is_same_v<Topic, Pci>;

// A copy of a GPU as it is now, with nothing that moves.
void resolve(Gpu& copy, std::uint64_t now_ns);

// Of a draft: all values of now take the place of what moves, and the segment keeps where it was; nothing where the GPU
// is not loaded.
void settle(GpuEdit& gpu);

}  // namespace nvmlab
