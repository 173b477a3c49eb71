// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/load/motion.hpp"

#include "engine/machine/hash.hpp"
#include "engine/topics/load/decay.hpp"
#include "nvmlab/abi/generated/constants.hpp"

namespace nvmlab {
namespace {

constexpr std::uint64_t kPowerTickUs = 100'000;
constexpr std::uint64_t kAverageUs = 1'000'000;
constexpr std::uint64_t kTrafficTickUs = 20'000;
constexpr std::uint64_t kReasonCapped = nvml::abi::ClocksEventReasonSwPowerCap;
constexpr std::uint64_t kReasonHot = nvml::abi::ClocksEventReasonSwThermalSlowdown;

constexpr std::uint64_t kLongestUs = 150ull * 86'400 * 1'000'000;  // for which 64 bits of nanojoules are enough

// A clock that was succeeded meanwhile lies before the segment.
std::uint64_t within_segment(const LoadSegment& segment, std::uint64_t now_us) {
  if (now_us < segment.begin_us) return segment.begin_us;
  return now_us - segment.begin_us > kLongestUs ? segment.begin_us + kLongestUs : now_us;
}

const LoadPhase& phase_at(const LoadSegment& segment, std::uint64_t at_us) {
  std::uint32_t last = 0;
  while (last + 1 < segment.phase_count && segment.phases[last + 1].begin_us <= at_us)
    ++last;
  return segment.phases[last];
}

std::uint64_t end_of(const LoadSegment& segment, const LoadPhase& phase) {
  return &phase == &segment.phases[segment.phase_count - 1] ? kNoEnd : (&phase)[1].begin_us;
}

// From -1000 to 1000, another for each tick and use.
std::int64_t noise(const LoadSegment& segment, Moving use, std::uint64_t tick) {
  return static_cast<std::int64_t>(mix(mix(segment.seed + static_cast<std::uint32_t>(use)) ^ tick) % 2001) - 1000;
}

// What the phase has drawn beyond its power, or less than that: power trembles because this does, so energy is what
// power adds up to, exactly. Nothing at both ends of a phase, and never so steep that energy would fall.
std::int64_t trembling_nj(const LoadSegment& segment, const LoadPhase& phase, std::uint64_t at_us) {
  if (phase.noise_permille == 0) return 0;
  const std::uint64_t end_us = end_of(segment, phase);
  std::uint64_t near = at_us - phase.begin_us;
  if (end_us - at_us < near) near = end_us - at_us;
  if (near > kPowerTickUs) near = kPowerTickUs;
  const std::uint64_t tick = at_us / kPowerTickUs;
  const auto within = static_cast<std::int64_t>(at_us % kPowerTickUs);
  const std::int64_t before = noise(segment, Moving::draw_mw, tick);
  const std::int64_t after = noise(segment, Moving::draw_mw, tick + 1);
  const std::int64_t now = before + (after - before) * within / static_cast<std::int64_t>(kPowerTickUs);
  const std::int64_t most_nj =
      static_cast<std::int64_t>(phase.power_mw) * phase.noise_permille / 1000 * static_cast<std::int64_t>(near);
  return most_nj / 1000 * now;
}

std::uint64_t mean_power(const LoadSegment& segment, std::uint64_t now_us, std::uint64_t over_us) {
  const auto spent = static_cast<std::int64_t>(static_cast<std::uint64_t>(energy_nj(segment, now_us)) -
                                               static_cast<std::uint64_t>(energy_nj(segment, now_us - over_us)));
  return spent > 0 ? static_cast<std::uint64_t>(spent) / over_us : 0;
}

// A reading that stood at `rest` when the board drew what it draws at rest.
std::uint64_t from_rest(std::uint64_t rest, std::uint64_t power_mw, std::uint64_t rest_mw) {
  const std::uint64_t sum = rest + power_mw;
  return sum > rest_mw ? sum - rest_mw : 0;
}

void put_power(const LoadSegment& segment, const LoadPhase& phase, std::uint64_t now_us, MovingValues& values) {
  const auto rest = [&segment](Moving which) { return segment.base[static_cast<std::uint32_t>(which)]; };
  const std::uint64_t average = mean_power(segment, now_us, kAverageUs);
  const std::uint64_t instant = mean_power(segment, now_us, kPowerTickUs);
  const auto put = [&](Moving which, std::uint64_t power) {
    values[which] = from_rest(rest(which), power, segment.rest_power_mw);
  };
  put(Moving::draw_mw, segment.draw_averages != 0 ? average : instant);
  put(Moving::draw_average_mw, average);
  put(Moving::draw_instant_mw, instant);
  put(Moving::module_draw_average_mw, average);
  put(Moving::module_draw_instant_mw, instant);
  const std::uint64_t elapsed = now_us - phase.begin_us;
  const std::uint64_t part = elapsed < kAverageUs ? elapsed : kAverageUs;
  const std::uint64_t memory =
      (phase.memory_power_mw * part + phase.memory_power_before_mw * (kAverageUs - part)) / kAverageUs;
  values[Moving::memory_draw_average_mw] = rest(Moving::memory_draw_average_mw) + memory;
  values[Moving::memory_draw_instant_mw] = rest(Moving::memory_draw_instant_mw) + phase.memory_power_mw;
  const auto spent = static_cast<std::uint64_t>(energy_nj(segment, now_us));
  values[Moving::energy_mj] = rest(Moving::energy_mj) + (segment.energy_rest_nj + spent) / 1'000'000;
}

// In whole degrees.
std::int64_t rounded(std::int64_t mk) { return (mk + (mk < 0 ? -500 : 500)) / 1000; }

std::int64_t heat_of(std::uint64_t power_mw, std::uint32_t resistance) {
  return static_cast<std::int64_t>(power_mw * resistance / 1'000'000);
}

std::uint64_t fan_speed(const LoadSegment& segment, std::uint64_t rest, std::int64_t gpu_mk) {
  constexpr std::int64_t stands_below_mk = 50'000;
  constexpr std::int64_t starts_at_percent = 30;
  const bool stands = rest == 0;  // a board that is silent while it is cool
  if (stands && gpu_mk < stands_below_mk) return 0;
  const std::int64_t from_mk = stands ? stands_below_mk : segment.rest_gpu_mk;
  const std::int64_t lowest = stands ? starts_at_percent : static_cast<std::uint32_t>(rest);
  const std::int64_t percent = lowest + (gpu_mk - from_mk) * segment.heat.fan_permille / 1'000'000;
  return static_cast<std::uint64_t>(percent < lowest ? lowest : percent > 100 && lowest <= 100 ? 100 : percent);
}

void put_temperatures(const LoadSegment& segment, const LoadPhase& phase, std::uint64_t now_us, MovingValues& values) {
  const auto rest = [&segment](Moving which) { return segment.base[static_cast<std::uint32_t>(which)]; };
  const Heat heat = heat_at(segment, phase, now_us);
  std::int64_t gpu_mk = segment.air_mk + heat.die_mk + heat.sink_mk;
  constexpr std::int64_t farthest_mk = 1'000'000;
  gpu_mk = gpu_mk > farthest_mk ? farthest_mk : gpu_mk < -farthest_mk ? -farthest_mk : gpu_mk;
  const std::int64_t spot_mk = (heat.die_mk - segment.rest_die_mk) * segment.heat.hot_spot_permille / 1000;
  const std::int64_t warm_mk = memory_mk(segment, heat.sink_mk, heat.memory_mk);
  values[Moving::gpu_c] = gpu_mk > 0 ? static_cast<std::uint64_t>(rounded(gpu_mk)) : 0;
  values[Moving::memory_c] = warm_mk > 0 ? static_cast<std::uint64_t>(rounded(warm_mk)) : 0;
  values[Moving::tlimit_c] = static_cast<std::uint64_t>(rounded(segment.limit_mk - gpu_mk - spot_mk));
  for (std::uint32_t fan = 0; fan < 8; ++fan) {
    const std::uint64_t slow = rest(of_fan(Moving::fan_percent, fan));
    const std::uint64_t percent = fan_speed(segment, slow, gpu_mk);
    const std::uint64_t rpm = rest(of_fan(Moving::fan_rpm, fan));
    constexpr std::uint64_t rpm_of_percent = 30;  // of a fan that stood when it was captured
    values[of_fan(Moving::fan_percent, fan)] = percent;
    values[of_fan(Moving::fan_rpm, fan)] = slow > 0 ? rpm * percent / slow : percent * rpm_of_percent;
  }
}

void put_shares(const LoadSegment& segment, const LoadPhase& phase, std::uint64_t now_us, MovingValues& values) {
  const std::uint64_t window_us = segment.window_us > 0 ? segment.window_us : 1;
  const std::uint64_t elapsed = now_us - phase.begin_us;
  for (std::uint32_t engine = 0; engine < kBusyEngines; ++engine) {
    const std::int64_t before = phase.percent_before[engine];
    const std::int64_t then = phase.percent[engine];
    std::int64_t share = then;
    if (elapsed < window_us) {
      share = before + (then - before) * static_cast<std::int64_t>(elapsed) / static_cast<std::int64_t>(window_us);
    } else if (phase.noise_permille != 0 && then > 0 && then < 100) {
      share += noise(segment, static_cast<Moving>(engine), now_us / window_us) * 5 / 2002;
    }
    values.of[engine] = static_cast<std::uint64_t>(share < 0 ? 0 : share > 100 ? 100 : share);
  }
}

void put_clocks(const LoadSegment& segment, const LoadPhase& phase, std::uint64_t now_us, MovingValues& values) {
  const auto base = [&segment](Moving which) { return segment.base[static_cast<std::uint32_t>(which)]; };
  const std::uint64_t elapsed = now_us - phase.begin_us;
  const auto held_back = [&](std::uint64_t reason) { return (phase.reasons & reason) != 0 ? elapsed : 0; };
  values[Moving::performance_state] = phase.performance_state;
  values[Moving::graphics_mhz] = phase.graphics_mhz;
  values[Moving::sm_mhz] = phase.sm_mhz;
  values[Moving::memory_mhz] = phase.memory_mhz;
  values[Moving::video_mhz] = phase.video_mhz;
  values[Moving::event_reasons] = phase.reasons;
  values[Moving::sw_power_cap_us] = base(Moving::sw_power_cap_us) + phase.capped_us + held_back(kReasonCapped);
  values[Moving::sw_thermal_slowdown_us] = base(Moving::sw_thermal_slowdown_us) + phase.hot_us + held_back(kReasonHot);
  const std::uint64_t unused = phase.percent[0] == 0 ? elapsed : 0;
  values[Moving::low_utilization_us] = base(Moving::low_utilization_us) + phase.unused_us + unused;
}

void put_traffic(const LoadSegment& segment, const LoadPhase& phase, std::uint64_t now_us, MovingValues& values) {
  const auto base = [&segment](Moving which) { return segment.base[static_cast<std::uint32_t>(which)]; };
  const std::uint64_t elapsed = now_us - phase.begin_us;
  const auto rate = [&](Moving which, std::uint64_t kbps) {
    const std::int64_t off = phase.noise_permille != 0 ? noise(segment, which, now_us / kTrafficTickUs) : 0;
    values[which] = static_cast<std::uint64_t>(static_cast<std::int64_t>(kbps) * (20'000 + off) / 20'000);
  };
  rate(Moving::tx_kbps, phase.tx_kbps);
  rate(Moving::rx_kbps, phase.rx_kbps);
  values[Moving::tx_bytes] = base(Moving::tx_bytes) + phase.tx_bytes + phase.tx_kbps * elapsed / 1000;
  values[Moving::rx_bytes] = base(Moving::rx_bytes) + phase.rx_bytes + phase.rx_kbps * elapsed / 1000;
}

// Of links and SMs, since the segment began.
void put_counts(const LoadSegment& segment, std::uint64_t now_us, MovingValues& values) {
  constexpr std::uint64_t second_us = 1'000'000;
  for (std::uint32_t i = 0; i < segment.phase_count; ++i) {
    const LoadPhase& phase = segment.phases[i];
    const std::uint64_t end_us = end_of(segment, phase);
    const std::uint64_t until_us = end_us < now_us ? end_us : now_us;
    if (until_us <= phase.begin_us) break;
    const std::uint64_t elapsed = until_us - phase.begin_us;
    values[Moving::link_kib] +=
        phase.link_kibps * (elapsed / second_us) + phase.link_kibps * (elapsed % second_us) / second_us;
    values[Moving::sm_cycles] += phase.sm_mhz * elapsed;
    values[Moving::busy_sm_cycles] += phase.sm_mhz * elapsed / 100 * phase.percent[0];
  }
}

}  // namespace

Heat heat_at(const LoadSegment& segment, const LoadPhase& phase, std::uint64_t at_us) {
  const BoardHeat& board = segment.heat;
  const std::uint64_t elapsed = at_us - phase.begin_us;
  return {on_the_way(phase.die_mk, heat_of(phase.power_mw, board.die), decay(elapsed, board.die_us)),
          on_the_way(phase.sink_mk, heat_of(phase.power_mw, board.sink), decay(elapsed, board.sink_us)),
          on_the_way(phase.memory_mk, heat_of(phase.memory_power_mw, board.memory), decay(elapsed, board.memory_us))};
}

std::int64_t memory_mk(const LoadSegment& segment, std::int64_t sink_mk, std::int64_t above_sink_mk) {
  const std::int64_t rest_sink_mk = std::int64_t{segment.rest_gpu_mk} - segment.rest_die_mk;
  return std::int64_t{at_rest(segment, Moving::memory_c)} * 1000 + above_sink_mk + segment.air_mk + sink_mk -
         rest_sink_mk;
}

std::int64_t energy_nj(const LoadSegment& segment, std::uint64_t at_us) {
  if (at_us < segment.begin_us) return -static_cast<std::int64_t>(segment.power_mw * (segment.begin_us - at_us));
  const LoadPhase& phase = phase_at(segment, at_us);
  if (at_us < phase.begin_us) return 0;
  const auto trembling = static_cast<std::uint64_t>(trembling_nj(segment, phase, at_us));
  return static_cast<std::int64_t>(phase.energy_nj + phase.power_mw * (at_us - phase.begin_us) + trembling);
}

MovingValues moving_values(const LoadSegment& segment, std::uint64_t now_us) {
  MovingValues values{};
  now_us = within_segment(segment, now_us);
  const LoadPhase& phase = phase_at(segment, now_us);
  if (now_us < phase.begin_us) return values;  // damaged
  put_shares(segment, phase, now_us, values);
  put_clocks(segment, phase, now_us, values);
  put_power(segment, phase, now_us, values);
  put_temperatures(segment, phase, now_us, values);
  put_traffic(segment, phase, now_us, values);
  put_counts(segment, now_us, values);
  return values;
}

MovingValues moving_values(const Gpu& gpu, std::uint64_t now_ns) {
  const Load published = load(gpu.load);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): a getter would wait for more than a kilobyte of zeros
  LoadSegment segment;
  return read_segment(published, segment) ? moving_values(segment, now_ns / 1000) : MovingValues{};
}

void resolve(Gpu& copy, std::uint64_t now_ns) {
  if (!copy.load.segment.has_value()) return;
  const MovingValues values = moving_values(copy, now_ns);
  visit_moving_topics([&copy, &values](auto topic) { resolve_topic(copy.*topic, values); });
  resolve(copy.processes, values);
  const auto grow = [&values](Fact<std::uint64_t>& fact, Growth, bool) { resolve(fact, values); };
  visit_growing(copy.nvlink, grow);
  visit_growing(copy.gpm, grow);
}

void settle(GpuEdit& gpu) {
  LoadSegment segment{};
  if (!read_segment(gpu.view(&Gpu::load), segment)) return;
  const std::uint64_t now_us = within_segment(segment, gpu.now_ns() / 1000);
  const MovingValues values = moving_values(segment, now_us);
  visit_moving_topics([&gpu, &values](auto topic) { resolve_topic(gpu.edit(topic), values); });
  settle_growth(gpu, values);
  if (segment.worker_count != 0) resolve(gpu.edit(&Gpu::processes), values);

  const LoadPhase& phase = phase_at(segment, now_us);
  const Heat heat = heat_at(segment, phase, now_us);
  segment.energy_rest_nj =
      (segment.energy_rest_nj + static_cast<std::uint64_t>(energy_nj(segment, now_us))) % 1'000'000;
  segment.power_mw = static_cast<std::uint32_t>(mean_power(segment, now_us, kAverageUs));
  segment.memory_power_mw = phase.memory_power_mw;
  segment.die_mk = static_cast<std::int32_t>(heat.die_mk);
  segment.sink_mk = static_cast<std::int32_t>(heat.sink_mk);
  segment.memory_mk = static_cast<std::int32_t>(heat.memory_mk);
  for (std::uint32_t engine = 0; engine < kBusyEngines; ++engine)
    segment.percent[engine] = static_cast<std::uint8_t>(values.of[engine]);
  write_segment(gpu.edit(&Gpu::load), segment);
}

}  // namespace nvmlab
