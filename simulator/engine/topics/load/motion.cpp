// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/load/motion.hpp"

#include "engine/store/hash.hpp"
#include "engine/topics/load/metric_curves.hpp"
#include "engine/topics/load/reasons.hpp"

namespace nvmlab {
namespace {

constexpr std::uint64_t kPowerTickUs = 100'000;
constexpr std::uint64_t kAverageUs = 1'000'000;
constexpr std::uint64_t kTrafficTickUs = 20'000;

constexpr std::uint64_t kLongestUs = 150ull * 86'400 * 1'000'000;  // for which 64 bits of nanojoules are enough

// A clock that was succeeded meanwhile lies before the segment.
std::uint64_t within_segment(const LoadSegment& segment, std::uint64_t now_us) {
  const std::uint64_t begin_us = seen(segment.begin_us);
  if (now_us < begin_us) return begin_us;
  return now_us - begin_us > kLongestUs ? begin_us + kLongestUs : now_us;
}

[[gnu::always_inline]] inline PhaseAt phase_at(const LoadSegment& segment, std::uint64_t at_us) {
  const std::uint32_t said = seen(segment.phase_count);
  const std::uint32_t count = said < kMaxPhases ? said : kMaxPhases;
  const LoadPhase* phase = &segment.phases[0];
  std::uint64_t begin_us = seen(phase->begin_us);
  for (std::uint32_t next = 1; next < count; ++next) {
    const std::uint64_t end_us = seen(segment.phases[next].begin_us);
    if (end_us > at_us) return {*phase, begin_us, end_us};
    phase = &segment.phases[next];
    begin_us = end_us;
  }
  return {*phase, begin_us, kNoEnd};
}

// From -1000 to 1000, another for each tick and use.
class Noise {
 public:
  Noise(const LoadSegment& segment, Moving use) : seed_(mix(seen(segment.seed) + static_cast<std::uint32_t>(use))) {}
  std::int64_t in(std::uint64_t tick) const { return static_cast<std::int64_t>(mix(seed_ ^ tick) % 2001) - 1000; }

 private:
  std::uint64_t seed_;
};

// What the phase has drawn beyond its power, or less than that: power trembles because this does, so energy is what
// power adds up to, exactly. Nothing at both ends of a phase, and never so steep that energy would fall.
[[gnu::always_inline]] inline std::int64_t trembling_nj(const Noise& noise, const PhaseAt& at, std::uint32_t power_mw,
                                                        std::uint64_t at_us) {
  const std::uint32_t noise_permille = seen(at.phase.noise_permille);
  if (noise_permille == 0) return 0;
  std::uint64_t near = at_us - at.begin_us;
  if (at.end_us - at_us < near) near = at.end_us - at_us;
  if (near > kPowerTickUs) near = kPowerTickUs;
  const std::uint64_t tick = at_us / kPowerTickUs;
  const auto within = static_cast<std::int64_t>(at_us % kPowerTickUs);
  const std::int64_t before = noise.in(tick);
  const std::int64_t after = noise.in(tick + 1);
  const std::int64_t now = before + (after - before) * within / static_cast<std::int64_t>(kPowerTickUs);
  const std::int64_t most_nj =
      static_cast<std::int64_t>(power_mw) * noise_permille / 1000 * static_cast<std::int64_t>(near);
  return most_nj / 1000 * now;
}

// Of a plausible phase that has begun.
[[gnu::always_inline]] inline std::uint64_t energy_in(const Noise& noise, const PhaseAt& at, std::uint64_t at_us) {
  const std::uint32_t power_mw = seen(at.phase.power_mw);
  const auto trembling = static_cast<std::uint64_t>(trembling_nj(noise, at, power_mw, at_us));
  return seen(at.phase.energy_nj) + power_mw * (at_us - at.begin_us) + trembling;
}

std::uint64_t energy_of(const LoadSegment& segment, const Noise& noise, std::uint64_t at_us) {
  const std::uint64_t begin_us = seen(segment.begin_us);
  if (at_us < begin_us) return -(seen(segment.power_mw) * (begin_us - at_us));
  const PhaseAt at = phase_at(segment, at_us);
  return at_us >= at.begin_us && plausible(at.phase) ? energy_in(noise, at, at_us) : 0;
}

// `now` is the phase of `now_us`, and mostly that of then too.
[[gnu::always_inline]] inline std::uint64_t mean_power(const LoadSegment& segment, const PhaseAt& now,
                                                       std::uint64_t now_us, std::uint64_t over_us) {
  const Noise noise(segment, Moving::draw_mw);
  const std::uint64_t then_us = now_us - over_us;
  const std::uint64_t before =
      then_us >= now.begin_us && then_us < now_us ? energy_in(noise, now, then_us) : energy_of(segment, noise, then_us);
  const auto spent = static_cast<std::int64_t>(energy_in(noise, now, now_us) - before);
  return spent > 0 ? static_cast<std::uint64_t>(spent) / over_us : 0;
}

// A reading that stood at `rest` when the board drew what it draws at rest.
std::uint64_t from_rest(std::uint64_t rest, std::uint64_t power_mw, std::uint64_t rest_mw) {
  const std::uint64_t sum = rest + power_mw;
  return sum > rest_mw ? sum - rest_mw : 0;
}

// In whole degrees.
std::int64_t rounded(std::int64_t mk) { return (mk + (mk < 0 ? -500 : 500)) / 1000; }
std::uint64_t warm(std::int64_t mk) { return mk > 0 ? static_cast<std::uint64_t>(rounded(mk)) : 0; }

}  // namespace

std::int64_t energy_nj(const LoadSegment& segment, std::uint64_t at_us) {
  return static_cast<std::int64_t>(energy_of(segment, Noise(segment, Moving::draw_mw), at_us));
}

Motion::Motion(const LoadSegment& segment, std::uint64_t now_us)
    : segment_(segment), now_us_(within_segment(segment, now_us)), at_(phase_at(segment, now_us_)) {
  good_ = seen(segment.format) == LoadSegment::kFormat && now_us_ >= at_.begin_us && plausible(at_.phase);
}

Motion::Motion(const Gpu& gpu, std::uint64_t now_ns) : Motion(published_segment(gpu.load), now_ns / 1000) {
  if (!has_curves(gpu.load)) return;
  curved_ = &gpu.load;
  now_ms_ = now_ns / 1'000'000;
}

std::uint64_t Motion::draw(Moving which, std::uint64_t power_mw) const {
  return from_rest(base(which), power_mw, seen(segment_.rest_power_mw));
}
std::uint64_t Motion::average_draw(Moving which) const {
  return draw(which, mean_power(segment_, at_, now_us_, kAverageUs));
}
std::uint64_t Motion::instant_draw(Moving which) const {
  return draw(which, mean_power(segment_, at_, now_us_, kPowerTickUs));
}

std::uint64_t Motion::memory_draw() const {
  const std::uint64_t elapsed = now_us_ - at_.begin_us;
  const std::uint64_t part = elapsed < kAverageUs ? elapsed : kAverageUs;
  const std::uint64_t now = seen(at_.phase.memory_power_mw) * part;
  return (now + seen(at_.phase.memory_power_before_mw) * (kAverageUs - part)) / kAverageUs;
}

std::uint64_t Motion::energy() const {
  const std::uint64_t spent = energy_in(Noise(segment_, Moving::draw_mw), at_, now_us_);
  return base(Moving::energy_mj) + (seen(segment_.energy_rest_nj) + spent) / 1'000'000;
}

std::int64_t Motion::gpu_mk() const {
  constexpr std::int64_t farthest_mk = 1'000'000;
  const std::uint64_t elapsed = now_us_ - at_.begin_us;
  const std::int64_t mk = seen(segment_.air_mk) + die_heat(segment_.heat, at_.phase, elapsed) +
                          sink_heat(segment_.heat, at_.phase, elapsed);
  return mk > farthest_mk ? farthest_mk : mk < -farthest_mk ? -farthest_mk : mk;
}

std::uint64_t Motion::memory_temperature() const {
  const std::uint64_t elapsed = now_us_ - at_.begin_us;
  return warm(memory_mk(segment_, sink_heat(segment_.heat, at_.phase, elapsed),
                        memory_heat(segment_.heat, at_.phase, elapsed)));
}

std::uint64_t Motion::thermal_margin() const {
  const std::int64_t die_mk = die_heat(segment_.heat, at_.phase, now_us_ - at_.begin_us);
  const std::int64_t spot_mk = (die_mk - seen(segment_.rest_die_mk)) * seen(segment_.heat.hot_spot_permille) / 1000;
  return static_cast<std::uint64_t>(rounded(seen(segment_.limit_mk) - gpu_mk() - spot_mk));
}

std::uint64_t Motion::fan_percent(std::uint32_t number) const {
  return fan_speed(segment_, base(of_fan(Moving::fan_percent, number)), gpu_mk());
}
std::uint64_t Motion::fan_rpm(std::uint32_t number) const {
  constexpr std::uint64_t rpm_of_percent = 30;  // of a fan that stood when it was captured
  const std::uint64_t slow = base(of_fan(Moving::fan_percent, number));
  const std::uint64_t percent = fan_speed(segment_, slow, gpu_mk());
  return slow > 0 ? base(of_fan(Moving::fan_rpm, number)) * percent / slow : percent * rpm_of_percent;
}

std::uint64_t Motion::temperature_or_fan(Moving which) const {
  if (!plausible(segment_.heat) || seen(segment_.rest_die_mk) > kMostRestMk) return 0;
  if (which == Moving::gpu_c) return warm(gpu_mk());
  if (which == Moving::memory_c) return memory_temperature();
  if (which == Moving::tlimit_c) return thermal_margin();
  const std::uint32_t number = static_cast<std::uint32_t>(which) - static_cast<std::uint32_t>(Moving::fan_percent);
  if (number < kMovingFans) return fan_percent(number);
  return number < 2 * kMovingFans ? fan_rpm(number - kMovingFans) : 0;
}

std::uint64_t Motion::share(std::uint32_t engine) const {
  const std::uint32_t told_us = seen(segment_.window_us);
  const std::uint64_t window_us = told_us > 0 ? told_us : 1;
  const std::uint64_t elapsed = now_us_ - at_.begin_us;
  const std::int64_t then = seen(at_.phase.percent[engine]);
  std::int64_t share = then;
  if (elapsed < window_us) {
    const std::int64_t before = seen(at_.phase.percent_before[engine]);
    share = before + (then - before) * static_cast<std::int64_t>(elapsed) / static_cast<std::int64_t>(window_us);
  } else if (seen(at_.phase.noise_permille) != 0 && then > 0 && then < 100) {
    share += Noise(segment_, static_cast<Moving>(engine)).in(now_us_ / window_us) * 5 / 2002;
  }
  return static_cast<std::uint64_t>(share < 0 ? 0 : share > 100 ? 100 : share);
}

std::uint64_t Motion::time_held_back(Moving which, std::uint64_t before_us, std::uint64_t reason) const {
  const std::uint64_t now = (seen(at_.phase.reasons) & reason) != 0 ? now_us_ - at_.begin_us : 0;
  return base(which) + before_us + now;
}

std::uint64_t Motion::rate(Moving which, std::uint32_t kbps) const {
  const std::int64_t off =
      seen(at_.phase.noise_permille) != 0 ? Noise(segment_, which).in(now_us_ / kTrafficTickUs) : 0;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(kbps) * (20'000 + off) / 20'000);
}

std::uint64_t Motion::value_of_load(Moving which) const {
  if (!good_) return 0;
  const LoadPhase& phase = at_.phase;
  const std::uint64_t elapsed = now_us_ - at_.begin_us;
  switch (which) {
    case Moving::gpu_percent:
    case Moving::memory_percent:
    case Moving::encoder_percent:
    case Moving::decoder_percent:
      return share(static_cast<std::uint32_t>(which));
    case Moving::performance_state:
      return seen(phase.performance_state);
    case Moving::graphics_mhz:
      return seen(phase.graphics_mhz);
    case Moving::sm_mhz:
      return seen(phase.sm_mhz);
    case Moving::memory_mhz:
      return seen(phase.memory_mhz);
    case Moving::video_mhz:
      return seen(phase.video_mhz);
    case Moving::event_reasons:
      return seen(phase.reasons);
    case Moving::sw_power_cap_us:
      return time_held_back(which, seen(phase.capped_us), kReasonCapped);
    case Moving::sw_thermal_slowdown_us:
      return time_held_back(which, seen(phase.hot_us), kReasonHot);
    case Moving::low_utilization_us:
      return base(which) + seen(phase.unused_us) + (seen(phase.percent[0]) == 0 ? elapsed : 0);
    case Moving::draw_mw:
      return seen(segment_.draw_averages) != 0 ? average_draw(which) : instant_draw(which);
    case Moving::draw_average_mw:
    case Moving::module_draw_average_mw:
      return average_draw(which);
    case Moving::draw_instant_mw:
    case Moving::module_draw_instant_mw:
      return instant_draw(which);
    case Moving::energy_mj:
      return energy();
    case Moving::memory_draw_average_mw:
      return base(which) + memory_draw();
    case Moving::memory_draw_instant_mw:
      return base(which) + seen(phase.memory_power_mw);
    case Moving::tx_kbps:
      return rate(which, seen(phase.tx_kbps));
    case Moving::rx_kbps:
      return rate(which, seen(phase.rx_kbps));
    case Moving::tx_bytes:
      return base(which) + seen(phase.tx_bytes) + seen(phase.tx_kbps) * elapsed / 1000;
    case Moving::rx_bytes:
      return base(which) + seen(phase.rx_bytes) + seen(phase.rx_kbps) * elapsed / 1000;
    case Moving::link_kib:
    case Moving::sm_cycles:
    case Moving::busy_sm_cycles:
      return counted(segment_, which, now_us_);
    default:
      return temperature_or_fan(which);
  }
}

void settle(GpuEdit& gpu) {
  LoadSegment segment{};
  if (!read_segment(gpu.view(&Gpu::load), segment)) return;
  const std::uint64_t now_us = within_segment(segment, gpu.now_ns() / 1000);
  const Motion motion(segment, now_us);
  visit_moving_topics([&gpu, &motion](auto topic) { resolve_topic(gpu.edit(topic), motion); });
  settle_growth(gpu, motion);
  if (segment.worker_count != 0) resolve(gpu.edit(&Gpu::processes), motion);

  const PhaseAt at = phase_at(segment, now_us);
  const LoadPhase& phase = at.phase;
  const Heat heat = heat_at(segment, phase, now_us);
  segment.energy_rest_nj =
      (segment.energy_rest_nj + static_cast<std::uint64_t>(energy_nj(segment, now_us))) % 1'000'000;
  segment.power_mw = static_cast<std::uint32_t>(mean_power(segment, at, now_us, kAverageUs));
  segment.memory_power_mw = phase.memory_power_mw;
  segment.die_mk = static_cast<std::int32_t>(heat.die_mk);
  segment.sink_mk = static_cast<std::int32_t>(heat.sink_mk);
  segment.memory_mk = static_cast<std::int32_t>(heat.memory_mk);
  for (std::uint32_t engine = 0; engine < kBusyEngines; ++engine)
    segment.percent[engine] = static_cast<std::uint8_t>(motion.value(static_cast<Moving>(engine)));
  write_segment(gpu.edit(&Gpu::load), segment);
}

}  // namespace nvmlab
