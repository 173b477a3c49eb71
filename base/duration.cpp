// SPDX-License-Identifier: Apache-2.0
#include "base/duration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ranges>

#include "base/nearest.hpp"

namespace nvmlab {
namespace {

struct TimeUnit {
  std::string_view name;
  std::uint64_t ns;
};
constexpr std::uint64_t kSecondNs = 1'000'000'000;
constexpr std::uint64_t kHourNs = 3600 * kSecondNs;
constexpr TimeUnit kTimeUnits[] = {
    {"ns", 1},      {"us", 1'000},       {"ms", 1'000'000}, {"s", kSecondNs}, {"m", 60 * kSecondNs},
    {"h", kHourNs}, {"d", 24 * kHourNs},
};

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// Walks over the text; every step says whether there was what it looks for.
class DurationReader {
 public:
  explicit DurationReader(std::string_view text) : text_(text) {}

  std::expected<std::uint64_t, std::string> read() {
    std::uint64_t sum = 0;
    do {
      const auto part = read_part();
      if (!part) return part;
      if (__builtin_add_overflow(sum, *part, &sum)) return too_long();
    } while (at_ < text_.size());
    return sum;
  }

 private:
  // A number and its unit.
  std::expected<std::uint64_t, std::string> read_part() {
    const std::string_view whole = take_while(is_digit);
    if (whole.empty()) return expected("a number");
    std::string_view fraction;
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      fraction = take_while(is_digit);
      if (fraction.empty()) return expected("a digit");
    }
    const std::size_t unit_at = at_;
    const std::string_view word = take_while([](char letter) { return !is_digit(letter); });
    const auto* const unit = std::ranges::find(kTimeUnits, word, &TimeUnit::name);
    if (unit == std::end(kTimeUnits)) {
      at_ = unit_at;
      return expected("a unit (ns, us, ms, s, m, h or d)");
    }
    return in_ns(whole, fraction, unit->ns);
  }

  std::expected<std::uint64_t, std::string> in_ns(std::string_view whole, std::string_view fraction,
                                                  std::uint64_t unit_ns) const {
    std::uint64_t ns = 0;
    for (const char digit : whole) {
      const auto value = static_cast<std::uint64_t>(digit - '0');
      if (__builtin_mul_overflow(ns, 10, &ns) || __builtin_add_overflow(ns, value, &ns)) return too_long();
    }
    if (__builtin_mul_overflow(ns, unit_ns, &ns)) return too_long();
    for (const char digit : fraction) {
      const auto value = static_cast<std::uint64_t>(digit - '0');
      // As long as the unit can be divided; a digit beyond is a part of a nanosecond.
      if (unit_ns % 10 != 0) {
        if (value == 0) continue;
        return std::unexpected(fmt::format("{}: that is no whole number of nanoseconds", in_quotes(text_)));
      }
      unit_ns /= 10;
      if (__builtin_add_overflow(ns, value * unit_ns, &ns)) return too_long();
    }
    return ns;
  }

  template <class Wanted>
  std::string_view take_while(Wanted wanted) {
    const std::size_t from = at_;
    while (at_ < text_.size() && wanted(text_[at_]))
      ++at_;
    return text_.substr(from, at_ - from);
  }

  std::unexpected<std::string> expected(std::string_view what) const {
    return std::unexpected(
        fmt::format("{}: {} was expected at character {}, as in 1h30m or 250ms", in_quotes(text_), what, at_ + 1));
  }
  std::unexpected<std::string> too_long() const {
    return std::unexpected(fmt::format("{}: no more than 213503 days can be told", in_quotes(text_)));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::expected<std::uint64_t, std::string> parse_duration(std::string_view text) { return DurationReader(text).read(); }

std::string duration_text(std::uint64_t ns) {
  std::string text;
  for (const TimeUnit& unit : std::views::reverse(kTimeUnits)) {
    if (ns >= unit.ns) text += fmt::format("{}{}", ns / unit.ns, unit.name);
    ns %= unit.ns;
  }
  return text.empty() ? "0s" : text;
}

}  // namespace nvmlab
