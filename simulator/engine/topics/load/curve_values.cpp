// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/load/curve_values.hpp"

#include <cstring>
#include <initializer_list>

#include "engine/store/hash.hpp"
#include "engine/topics/load/load_changes.hpp"
#include "engine/topics/load/motion.hpp"

namespace nvmlab {
namespace {

constexpr std::uint64_t kTickMs = 100;
constexpr std::uint64_t kPowerTickMs = 1000;
constexpr std::uint32_t kDefaultRampS = 60;
constexpr std::uint32_t kDefaultBurstS = 30;
constexpr std::uint32_t kHottestC = 1000;
constexpr std::uint32_t kLongestPeriodS = 1'000'000'000;
constexpr std::uint64_t kMostErrorsMilli = 1'000'000'000'000;
constexpr std::uint64_t kLongestMs = 150ull * 86'400 * 1000;

// Any number from low to high, another for each tick and use.
std::int64_t vary(const Curves& curves, Moving use, std::uint64_t tick, std::int64_t low, std::int64_t high) {
  const std::uint64_t number = mix(mix(curves.seed + static_cast<std::uint32_t>(use)) ^ tick);
  return high <= low ? low : low + static_cast<std::int64_t>(number % static_cast<std::uint64_t>(high - low + 1));
}

// 2^30 times the sine of a part of a turn, of which 65536 make a whole one.
std::int64_t sine(std::uint64_t turn) {
  constexpr std::int64_t one = 1 << 30;
  constexpr std::int64_t right_angle = 1'686'629'713;  // pi / 2
  const auto half = static_cast<std::int64_t>(turn & 0x7FFF);
  const std::int64_t part = half > 0x4000 ? 0x8000 - half : half;
  const std::int64_t angle = part * right_angle >> 14;
  const std::int64_t square = angle * angle >> 30;
  std::int64_t series = one - square / 72;
  for (const std::int64_t divisor : {42, 20, 6})
    series = one - (square * series >> 30) / divisor;
  const std::int64_t value = angle * series >> 30;
  return (turn & 0x8000) != 0 ? -value : value;
}

std::uint64_t elapsed_ms(std::uint64_t since_ms, std::uint64_t now_ms) {
  if (now_ms < since_ms) return 0;  // of a clock that was set back
  return now_ms - since_ms > kLongestMs ? kLongestMs : now_ms - since_ms;
}

std::uint64_t temperature(const Curves& curves, std::uint64_t now_ms) {
  const SetMetricCurves& asked = curves.asked;
  const std::uint64_t period_ms = std::uint64_t{asked.ramp_period_s > 0 ? asked.ramp_period_s : kDefaultRampS} * 1000;
  const std::uint64_t turn = elapsed_ms(curves.since_ms, now_ms) % period_ms * 65536 / period_ms;
  constexpr std::int64_t one = 1 << 30;
  const std::int64_t ramp = (static_cast<std::int64_t>(asked.ramp_c) * (one + sine(turn)) + one) >> 31;
  const auto variance = static_cast<std::int64_t>(asked.variance_c);
  const std::int64_t value = asked.base_c + ramp + vary(curves, Moving::gpu_c, now_ms / kTickMs, -variance, variance);
  if (value < 0) return 0;
  return curves.highest_c > 0 && value > curves.highest_c ? curves.highest_c : static_cast<std::uint64_t>(value);
}

// What varies the power, in thousandths of half its range, from -1000 to 1000.
std::int64_t power_wave(const Curves& curves, std::uint64_t at_ms) {
  const std::uint64_t tick = at_ms / kPowerTickMs;
  const std::int64_t before = vary(curves, Moving::draw_mw, tick, -1000, 1000);
  const std::int64_t after = vary(curves, Moving::draw_mw, tick + 1, -1000, 1000);
  return before +
         (after - before) * static_cast<std::int64_t>(at_ms % kPowerTickMs) / static_cast<std::int64_t>(kPowerTickMs);
}

// Energy is a straight line and the wave; a power is what it grew by within a second, so the one is the integral of the
// other, and the counter never falls.
std::uint64_t power(const Curves& curves, std::uint64_t now_ms) {
  const std::int64_t middle = (std::int64_t{curves.lowest_mw} + curves.highest_mw) / 2;
  const std::int64_t half = (std::int64_t{curves.highest_mw} - curves.lowest_mw) / 2;
  const std::uint64_t second_ago = now_ms < kPowerTickMs ? 0 : now_ms - kPowerTickMs;
  const std::int64_t steep = power_wave(curves, now_ms) - power_wave(curves, second_ago);
  return static_cast<std::uint64_t>(middle + half * steep / 2000);
}

std::uint64_t share_of_time(const Curves& curves, Moving use, std::uint32_t low, std::uint32_t high,
                            std::uint64_t now_ms) {
  const SetMetricCurves& asked = curves.asked;
  if (low == 0 && high == 0) high = 100;
  if (low > high) low = high;
  const std::uint32_t quarter = (high - low) / 4;
  UsePattern pattern = asked.pattern;
  if (pattern == UsePattern::burst) {
    const std::uint64_t period_s = asked.burst_period_s > 0 ? asked.burst_period_s : kDefaultBurstS;
    const std::uint64_t turn = elapsed_ms(curves.since_ms, now_ms) / (period_s * 1000);
    pattern = turn % 2 == 0 ? UsePattern::idle : UsePattern::busy;
  }
  if (pattern == UsePattern::idle) high = low + quarter;
  if (pattern == UsePattern::busy) low = high - quarter;
  return static_cast<std::uint64_t>(vary(curves, use, now_ms / kTickMs, low, high));
}

}  // namespace

bool good(const SetMetricCurves& asked) {
  const std::uint32_t shares[] = {asked.gpu_min, asked.gpu_max, asked.memory_min, asked.memory_max};
  for (const std::uint32_t share : shares) {
    if (share > 100) return false;
  }
  const auto hottest = static_cast<std::int32_t>(kHottestC);
  const bool warm =
      asked.base_c >= -hottest && asked.base_c <= hottest && asked.ramp_c <= kHottestC && asked.variance_c <= kHottestC;
  return warm && (asked.which & ~kAllCurves) == 0 && asked.base_mw <= kMostLoadMw && asked.variance_mw <= kMostLoadMw &&
         asked.pattern <= UsePattern::burst && asked.ramp_period_s <= kLongestPeriodS &&
         asked.burst_period_s <= kLongestPeriodS && asked.link_error_milli <= kMostErrorsMilli;
}

bool read_curves(const Load& from, Curves& curves) {
  if (!from.curves.has_value()) return false;
  std::memcpy(&curves, from.curves.data, sizeof curves);
  return curves.format == Curves::kFormat && good(curves.asked) && curves.lowest_mw <= curves.highest_mw &&
         curves.highest_mw <= 2 * kMostLoadMw;
}

std::uint64_t energy_uj(const Curves& curves, std::uint64_t now_ms) {
  const std::uint64_t elapsed = elapsed_ms(curves.begin_ms, now_ms);
  const std::int64_t middle = (std::int64_t{curves.lowest_mw} + curves.highest_mw) / 2;
  const std::int64_t half = (std::int64_t{curves.highest_mw} - curves.lowest_mw) / 2;
  const std::int64_t wave = power_wave(curves, curves.begin_ms + elapsed) - power_wave(curves, curves.begin_ms);
  const std::int64_t spent = middle * static_cast<std::int64_t>(elapsed) + half * wave / 2;
  return curves.energy_rest_uj + (spent > 0 ? static_cast<std::uint64_t>(spent) : 0);
}

std::uint64_t link_errors(const Curves& curves, std::uint64_t now_ms) {
  // A rate of 10^9 a second goes with 64 bits for two weeks; who counts that long has seen enough.
  constexpr std::uint64_t most_ms = 14ull * 86'400 * 1000;
  const std::uint64_t elapsed = elapsed_ms(curves.begin_ms, now_ms);
  return curves.errors_rest + curves.asked.link_error_milli * (elapsed < most_ms ? elapsed : most_ms);
}

// Curves lie over what a load makes of the readings, or over what lies beneath.
bool Motion::follows_curve(Moving which, std::uint64_t& value) const {
  const Load published = nvmlab::load(*curved_);
  Curves curves{};
  if (!read_curves(published, curves)) return false;
  const SetMetricCurves& asked = curves.asked;
  const bool warms = (asked.which & kTemperatureCurve) != 0;
  const bool draws = (asked.which & kPowerCurve) != 0;
  const bool works = (asked.which & kUtilizationCurve) != 0;
  const auto busy = [&] { return share_of_time(curves, Moving::gpu_percent, asked.gpu_min, asked.gpu_max, now_ms_); };
  switch (which) {
    case Moving::gpu_c:
      if (warms) value = temperature(curves, now_ms_);
      return warms;
    case Moving::tlimit_c: {
      if (!warms) return false;
      const std::uint64_t rest =
          is_loaded(published)
              ? value_of_load(Moving::tlimit_c) + value_of_load(Moving::gpu_c)
              : static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(curves.rest[kRestLimit])});
      value = rest - temperature(curves, now_ms_);
      return true;
    }
    case Moving::draw_mw:
    case Moving::draw_average_mw:
    case Moving::draw_instant_mw:
      if (draws) value = power(curves, now_ms_);
      return draws;
    case Moving::energy_mj:
      if (!draws || is_loaded(published)) return false;
      value = curves.energy_mj + energy_uj(curves, now_ms_) / 1000;
      return true;
    case Moving::gpu_percent:
      if (works) value = busy();
      return works;
    case Moving::memory_percent:
      if (works) value = share_of_time(curves, Moving::memory_percent, asked.memory_min, asked.memory_max, now_ms_);
      return works;
    case Moving::tx_kbps:
      if (works && asked.full_tx_kbps > 0) value = busy() * asked.full_tx_kbps / 100;
      return works && asked.full_tx_kbps > 0;
    case Moving::rx_kbps:
      if (works && asked.full_rx_kbps > 0) value = busy() * asked.full_rx_kbps / 100;
      return works && asked.full_rx_kbps > 0;
    default:
      return false;
  }
}

std::uint64_t Motion::link_errors() const {
  Curves curves{};
  if (curved_ == nullptr || !read_curves(nvmlab::load(*curved_), curves)) return 0;
  return (curves.asked.which & kLinkErrorCurve) != 0 ? nvmlab::link_errors(curves, now_ms_) / 1'000'000 : 0;
}

}  // namespace nvmlab
