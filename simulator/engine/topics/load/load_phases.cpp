// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/load/load_phases.hpp"

#include "engine/topics/derived.hpp"
#include "engine/topics/load/heat_limit.hpp"
#include "engine/topics/load/motion.hpp"
#include "engine/topics/load/power_curve.hpp"
#include "engine/topics/load/reasons.hpp"
#include "engine/topics/load/traffic.hpp"
#include "engine/topics/load/workers.hpp"
#include "nvmlab/abi/generated/enums.hpp"

namespace nvmlab {
namespace {

constexpr std::uint64_t kAwakeUs = 2'000'000;        // that clocks stay up without work
constexpr std::uint64_t kMemoryAwakeUs = 9'000'000;  // and those of the memory
constexpr std::uint32_t kWholeLimit = 1000;
constexpr std::uint32_t kFallbackLimitMw = 250'000;
constexpr std::int64_t kHeldBelowMk = 500;  // how far below its limit software holds a hot board

std::uint32_t within(std::uint32_t value, std::uint32_t low, std::uint32_t high) {
  return value > high ? high : value < low ? low : value;
}

class Layout {
 public:
  Layout(const GpuEdit& gpu, LoadSegment& segment)
      : clocks_(gpu.view(&Gpu::clocks)),
        power_(gpu.view(&Gpu::power)),
        thermal_(gpu.view(&Gpu::thermal)),
        pci_(gpu.view(&Gpu::pci)),
        nvlink_(gpu.view(&Gpu::nvlink)),
        brand_(gpu.view(&Gpu::identity).brand.value_or(0)),
        board_(physics_of(gpu)),
        segment_(segment),
        range_(clock_range(clocks_, at_rest(segment, Moving::graphics_mhz))),
        fastest_mhz_(slowed_by_hardware(gpu.faults()) && range_.ceiling / 2 < range_.high ? range_.ceiling / 2
                                                                                          : range_.high),
        demand_(demand_of(segment)) {}

  void lay_out() {
    segment_.phase_count = 0;
    if (segment_.kind != LoadKind::idle && segment_.begin_us < segment_.end_us) work();
    go_to_rest(segment_.idle_since_us);
  }

 private:
  // Adds a phase; what has come to pass before it follows from the phase before.
  void add(LoadPhase phase, std::uint64_t begin_us) {
    phase.begin_us = begin_us > segment_.begin_us ? begin_us : segment_.begin_us;
    if (segment_.phase_count == 0) {
      begin(phase);
    } else {
      LoadPhase& before = segment_.phases[segment_.phase_count - 1];
      if (phase.begin_us <= before.begin_us) {  // over before it began
        follow(before, phase);
        before = phase;
        return;
      }
      follow(before, phase);
    }
    segment_.phases[segment_.phase_count++] = phase;
  }

  void begin(LoadPhase& phase) const {
    phase.die_mk = segment_.die_mk;
    phase.sink_mk = segment_.sink_mk;
    phase.memory_mk = segment_.memory_mk;
    phase.memory_power_before_mw = segment_.memory_power_mw;
    std::memcpy(phase.percent_before, segment_.percent, sizeof phase.percent_before);
  }

  void follow(const LoadPhase& before, LoadPhase& phase) const {
    const std::uint64_t elapsed = phase.begin_us - before.begin_us;
    phase.energy_nj = before.energy_nj + before.power_mw * elapsed;
    phase.capped_us = before.capped_us + ((before.reasons & kReasonCapped) != 0 ? elapsed : 0);
    phase.hot_us = before.hot_us + ((before.reasons & kReasonHot) != 0 ? elapsed : 0);
    phase.unused_us = before.unused_us + (before.percent[0] == 0 ? elapsed : 0);
    phase.tx_bytes = before.tx_bytes + before.tx_kbps * elapsed / 1000;
    phase.rx_bytes = before.rx_bytes + before.rx_kbps * elapsed / 1000;
    const Heat heat = heat_at(segment_, before, phase.begin_us);
    phase.die_mk = static_cast<std::int32_t>(heat.die_mk);
    phase.sink_mk = static_cast<std::int32_t>(heat.sink_mk);
    phase.memory_mk = static_cast<std::int32_t>(heat.memory_mk);
    const bool at_once = elapsed == 0;
    phase.memory_power_before_mw = at_once ? before.memory_power_before_mw : before.memory_power_mw;
    std::memcpy(phase.percent_before, at_once ? before.percent_before : before.percent, sizeof phase.percent_before);
  }

  std::uint32_t share_of_limit(std::uint32_t permille) const {
    return static_cast<std::uint32_t>(std::uint64_t{board_limit_mw(power_)} * permille / kWholeLimit);
  }

  PowerCurve power_curve() const {
    const std::uint64_t sms = std::uint64_t{segment_.sm_percent} * demand_.intensity_permille / 100;
    const std::uint32_t encoder = board_.encoder_mw * segment_.encoder_percent / 100;
    const std::uint32_t most = share_of_limit(200);
    const std::uint64_t active = sms * 5 < 1000 ? sms * 5 : 1000;
    const auto compute = static_cast<std::uint32_t>(
        (share_of_limit(board_.active_permille) * active + share_of_limit(board_.compute_permille) * sms) / 1000);
    PowerCurve curve{.idle_mw = segment_.idle_power_mw,
                     .by_clock_mw = share_of_limit(board_.awake_permille) + compute + (encoder < most ? encoder : most),
                     .memory_mw = static_cast<std::uint32_t>(std::uint64_t{share_of_limit(board_.memory_permille)} *
                                                             segment_.memory_percent / 100),
                     .ceiling_mhz = range_.ceiling};
    if (segment_.wanted_power_mw != kOfKind) curve.draw(segment_.wanted_power_mw);
    return curve;
  }

  bool for_games() const {
    return brand_ == nvml::abi::NVML_BRAND_GEFORCE || brand_ == nvml::abi::NVML_BRAND_GEFORCE_RTX ||
           brand_ == nvml::abi::NVML_BRAND_TITAN || brand_ == nvml::abi::NVML_BRAND_TITAN_RTX;
  }

  // CUDA programs run boards for games in P2, with a memory clock a bit lower, where they have it.
  void put_working_memory(LoadPhase& phase) const {
    const std::uint32_t wanted = for_games() ? 2 : 0;
    phase.memory_mhz = clocks_.max_memory_mhz.value_or(at_rest(segment_, Moving::memory_mhz));
    phase.performance_state = 0;
    for (const Clocks::Pstate& state : clocks_.pstates) {
      if (state.number.value_or(~0U) != wanted) continue;
      phase.performance_state = wanted;
      if (state.memory_max_mhz.value_or(0) > 0) phase.memory_mhz = state.memory_max_mhz.value;
    }
    hold_memory(phase);
  }

  void hold_memory(LoadPhase& phase) const {
    if (!clocks_.locked_memory_max_mhz.has_value()) return;
    phase.memory_mhz =
        within(phase.memory_mhz, clocks_.locked_memory_min_mhz.value_or(0), clocks_.locked_memory_max_mhz.value);
  }

  void put_graphics(LoadPhase& phase, std::uint32_t mhz) const {
    phase.graphics_mhz = mhz;
    const std::uint32_t ceiling = clocks_.max_sm_mhz.value_or(range_.ceiling);
    phase.sm_mhz = mhz < ceiling ? mhz : ceiling;
    phase.video_mhz = clocks_.max_video_mhz.value_or(at_rest(segment_, Moving::video_mhz));
  }

  std::uint32_t reported(std::uint32_t reasons) const {
    return reasons & static_cast<std::uint32_t>(clocks_.event_reasons_supported.value_or(reasons));
  }
  std::uint32_t held_by_setting() const { return range_.high < range_.ceiling ? kReasonApplication : 0; }

  LoadPhase working() const {
    LoadPhase phase{};
    phase.percent[0] = static_cast<std::uint8_t>(segment_.sm_percent);
    phase.percent[1] = static_cast<std::uint8_t>(segment_.memory_percent);
    phase.percent[2] = static_cast<std::uint8_t>(segment_.encoder_percent);
    phase.percent[3] = static_cast<std::uint8_t>(segment_.decoder_percent);
    phase.memory_power_mw = memory_power_mw(board_, board_limit_mw(power_), segment_.sm_percent,
                                            segment_.memory_percent, demand_.intensity_permille);
    phase.tx_kbps = pci_traffic_kbps(pci_, demand_.tx_permille);
    phase.rx_kbps = pci_traffic_kbps(pci_, demand_.rx_permille);
    phase.link_kibps = link_traffic_kibps(nvlink_, demand_.link_permille, segment_.sm_percent);
    phase.noise_permille = 15;
    put_working_memory(phase);
    return phase;
  }

  // At the highest clock at which the board draws no more than that.
  void feed(LoadPhase& phase, const PowerCurve& power_curve, std::uint32_t most_mw, std::uint32_t reason) const {
    const Clocks::MemoryClock* const row = row_of(clocks_, phase.memory_mhz);
    const std::uint32_t high = on_the_grid(row, fastest_mhz_);
    const std::uint32_t lowest = range_.low > 0 ? on_the_grid(row, range_.low) : on_the_grid(row, 0);
    phase.reasons = held_by_setting();
    phase.power_mw = power_curve.at(high);
    std::uint32_t clock = high;
    if (phase.power_mw > most_mw) {
      clock = power_curve.highest_within(lowest < high ? lowest : high, high, most_mw);
      // Between two clocks of the grid it takes turns, so that it draws what it may.
      phase.power_mw = power_curve.at(clock) < most_mw && clock < high ? most_mw : power_curve.at(clock);
      clock = on_the_grid(row, clock);
      phase.reasons |= reason;
    }
    phase.reasons = reported(phase.reasons);
    put_graphics(phase, clock);
  }

  void work() {
    const PowerCurve curve = power_curve();
    LoadPhase phase = working();
    const std::uint32_t enforced = derived::with_residue(power_.enforced_limit_mw, power_.limit_mw).value_or(~0U);
    feed(phase, curve, enforced > 0 ? enforced : ~0U, kReasonCapped);
    add(phase, segment_.begin_us);
    std::int64_t limit_mk = 0;
    if (!hottest_mk(thermal_, segment_, phase, limit_mk)) return;
    const std::uint64_t hot_us = time_of(segment_, segment_.phases[0], limit_mk);
    if (hot_us >= segment_.end_us) return;
    const std::int64_t room_mk = limit_mk - kHeldBelowMk - segment_.air_mk;
    const std::uint64_t per_watt = std::uint64_t{segment_.heat.die} + segment_.heat.sink;
    const auto bearable =
        static_cast<std::uint32_t>(room_mk > 0 ? room_mk * 1'000'000 / static_cast<std::int64_t>(per_watt) : 0);
    LoadPhase slow = working();
    feed(slow, curve, bearable, kReasonHot);
    add(slow, hot_us);
  }

  LoadPhase resting() const {
    LoadPhase phase{};
    phase.power_mw = segment_.idle_power_mw;
    const Clocks::MemoryClock* const row = row_of(clocks_, at_rest(segment_, Moving::memory_mhz));
    const std::uint32_t own = segment_.was_busy != 0 ? on_the_grid(row, 0) : at_rest(segment_, Moving::graphics_mhz);
    const bool held = range_.low > 0 || range_.high < range_.ceiling;
    phase.graphics_mhz = held ? within(own, range_.low, range_.high) : own;
    phase.sm_mhz = held || segment_.was_busy != 0 ? phase.graphics_mhz : at_rest(segment_, Moving::sm_mhz);
    phase.memory_mhz = at_rest(segment_, Moving::memory_mhz);
    hold_memory(phase);
    phase.video_mhz = at_rest(segment_, Moving::video_mhz);
    phase.performance_state = at_rest(segment_, Moving::performance_state);
    const std::uint32_t before = at_rest(segment_, Moving::event_reasons);
    phase.reasons = (segment_.was_busy != 0 ? kReasonIdle : before) | held_by_setting();
    if (segment_.was_busy == 0) {
      for (std::uint32_t engine = 0; engine < kBusyEngines; ++engine)
        phase.percent[engine] = static_cast<std::uint8_t>(segment_.base[engine]);
      phase.tx_kbps = at_rest(segment_, Moving::tx_kbps);
      phase.rx_kbps = at_rest(segment_, Moving::rx_kbps);
    }
    return phase;
  }

  // The work has ended: clocks stay up a while, those of the memory longer.
  void go_to_rest(std::uint64_t since_us) {
    const std::uint64_t now_us = segment_.begin_us;
    const LoadPhase rest = resting();
    LoadPhase awake = rest;
    put_working_memory(awake);
    if (now_us < since_us + kAwakeUs) {
      LoadPhase up = awake;
      const Clocks::MemoryClock* const row = row_of(clocks_, up.memory_mhz);
      put_graphics(up, on_the_grid(row, fastest_mhz_));
      up.power_mw = segment_.idle_power_mw + share_of_limit(board_.awake_permille);
      up.reasons = reported(held_by_setting());
      add(up, since_us);
    }
    if (now_us < since_us + kMemoryAwakeUs && awake.memory_mhz != rest.memory_mhz) {
      awake.power_mw = segment_.idle_power_mw + share_of_limit(board_.awake_permille) / 2;
      add(awake, since_us + kAwakeUs);
      add(rest, since_us + kMemoryAwakeUs);
      return;
    }
    add(rest, since_us + kAwakeUs);
  }

  const Clocks& clocks_;
  const Power& power_;
  const Thermal& thermal_;
  const Pci& pci_;
  const Nvlink& nvlink_;
  std::uint32_t brand_;
  const BoardPhysics& board_;
  LoadSegment& segment_;
  ClockRange range_;
  std::uint32_t fastest_mhz_;
  Demand demand_;
};

}  // namespace

const BoardPhysics& physics_of(const GpuEdit& gpu) {
  const Thermal& thermal = gpu.view(&Gpu::thermal);
  return physics_of(gpu.view(&Gpu::pci).device_id.value_or(0), thermal.fans.size() > 0, thermal.memory_c.has_value());
}

std::uint32_t board_limit_mw(const Power& power) {
  const std::uint32_t limit = power.default_limit_mw.value_or(power.limit_mw.value_or(0));
  return limit > 0 ? limit : kFallbackLimitMw;
}

bool power_is_averaged(const GpuEdit& gpu) {
  const std::uint32_t architecture = gpu.view(&Gpu::identity).architecture.value_or(0);
  const bool ga100 = architecture == nvml::abi::DEVICE_ARCH_AMPERE && gpu.view(&Gpu::thermal).memory_c.has_value();
  return architecture >= nvml::abi::DEVICE_ARCH_AMPERE && architecture != nvml::abi::DEVICE_ARCH_UNKNOWN && !ga100;
}

// The memory gives off a part of what its traffic takes, and more once a fifth of the SMs works.
std::uint32_t memory_power_mw(const BoardPhysics& board, std::uint32_t limit_mw, std::uint32_t sm_percent,
                              std::uint32_t memory_percent, std::uint32_t intensity_permille) {
  const std::uint64_t traffic = std::uint64_t{limit_mw} * board.memory_permille / 1000 * memory_percent / 100;
  const std::uint64_t sms = std::uint64_t{sm_percent} * intensity_permille / 100;
  const std::uint64_t active = sms * 5 < 1000 ? sms * 5 : 1000;
  return static_cast<std::uint32_t>(std::uint64_t{limit_mw} * 57 / 1000 * active / 1000 + traffic * 3 / 10);
}

void lay_out_phases(const GpuEdit& gpu, LoadSegment& segment) { Layout(gpu, segment).lay_out(); }

}  // namespace nvmlab
