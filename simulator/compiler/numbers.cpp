// SPDX-License-Identifier: Apache-2.0
#include "compiler/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

#include "base/nearest.hpp"

namespace nvmlab::compiler {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

int digit_value(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return 16;
}

std::unexpected<std::string> not_a_number(std::string_view text) {
  return std::unexpected(fmt::format("{} is not a whole number", in_quotes(text)));
}

std::unexpected<std::string> too_large(std::string_view text) {
  return std::unexpected(fmt::format("{} is larger than any number here ({})", in_quotes(text), kMost));
}

// Digits of one base; `_` may stand between two digits.
std::expected<std::uint64_t, std::string> digits(std::string_view text, std::uint64_t base, std::string_view whole) {
  std::uint64_t sum = 0;
  char previous = '_';
  for (char letter : text) {
    if (letter == '_') {
      if (previous == '_') return not_a_number(whole);
      previous = letter;
      continue;
    }
    const auto value = static_cast<std::uint64_t>(digit_value(letter));
    if (value >= base) return not_a_number(whole);
    if (sum > (kMost - value) / base) return too_large(whole);
    sum = sum * base + value;
    previous = letter;
  }
  if (previous == '_') return not_a_number(whole);
  return sum;
}

__extension__ using Wide = unsigned __int128;

enum class Dimension : unsigned char {
  power,
  ramp,
  energy,
  voltage,
  current,
  frequency,
  temperature,
  ratio,
  time,
  bytes,
  rate
};

// Of model/state/, and what people write in their place. Scales are whole numbers within a dimension.
struct Unit {
  std::string_view name;
  Dimension dimension;
  std::uint64_t scale;
};
constexpr std::uint64_t kThousand = 1000;
constexpr Unit kUnits[] = {
    {"mW", Dimension::power, 1},
    {"W", Dimension::power, kThousand},
    {"kW", Dimension::power, kMillion},
    {"mW/s", Dimension::ramp, 1},
    {"W/s", Dimension::ramp, kThousand},
    {"mJ", Dimension::energy, 1},
    {"J", Dimension::energy, kThousand},
    {"kJ", Dimension::energy, kMillion},
    {"Wh", Dimension::energy, 3600 * kThousand},
    {"kWh", Dimension::energy, 3600 * kMillion},
    {"uV", Dimension::voltage, 1},
    {"mV", Dimension::voltage, kThousand},
    {"0.01 V", Dimension::voltage, 10 * kThousand},
    {"V", Dimension::voltage, kMillion},
    {"mA", Dimension::current, 1},
    {"0.01 A", Dimension::current, 10},
    {"A", Dimension::current, kThousand},
    {"kHz", Dimension::frequency, 1},
    {"MHz", Dimension::frequency, kThousand},
    {"GHz", Dimension::frequency, kMillion},
    {"C", Dimension::temperature, 1},
    {"°C", Dimension::temperature, 1},
    {"0.01 %", Dimension::ratio, 1},
    {"%", Dimension::ratio, 100},
    {"us", Dimension::time, 1},
    {"ms", Dimension::time, kThousand},
    {"s", Dimension::time, kMillion},
    {"min", Dimension::time, 60 * kMillion},
    {"h", Dimension::time, 3600 * kMillion},
    {"B", Dimension::bytes, 1},
    {"KiB", Dimension::bytes, std::uint64_t{1} << 10},
    {"MiB", Dimension::bytes, std::uint64_t{1} << 20},
    {"GiB", Dimension::bytes, std::uint64_t{1} << 30},
    {"TiB", Dimension::bytes, std::uint64_t{1} << 40},
    {"KB/s", Dimension::rate, 1},
    {"MB/s", Dimension::rate, kThousand},
    {"GB/s", Dimension::rate, kMillion},
};

const Unit* find_unit(std::string_view name) {
  const auto* const found = std::ranges::find(kUnits, name, &Unit::name);
  return found == std::end(kUnits) ? nullptr : found;
}

// "mW, W or kW"
std::string units_like(const Unit& wanted) {
  std::vector<std::string_view> names;
  for (const Unit& unit : kUnits) {
    if (unit.dimension == wanted.dimension && !unit.name.contains(' ')) names.push_back(unit.name);
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == names.size() ? " or " : ", ", names[i]);
  return text;
}

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' '))
    text.remove_prefix(1);
  return text;
}

}  // namespace

std::expected<Number, std::string> parse_number(std::string_view text) {
  Number number;
  std::string_view rest = text;
  if (rest.starts_with('-') || rest.starts_with('+')) {
    number.negative = rest.front() == '-';
    rest.remove_prefix(1);
  }
  const bool hexadecimal = rest.starts_with("0x") || rest.starts_with("0X");
  auto magnitude = digits(hexadecimal ? rest.substr(2) : rest, hexadecimal ? 16 : 10, text);
  if (!magnitude) return std::unexpected(magnitude.error());
  number.magnitude = *magnitude;
  if (number.magnitude == 0) number.negative = false;
  return number;
}

std::expected<Number, std::string> parse_quantity(std::string_view text, std::string_view unit) {
  const std::size_t end = text.find_last_of("0123456789");
  const std::string_view suffix = without_blanks(end == std::string_view::npos ? text : text.substr(end + 1));
  if (suffix.empty()) return parse_number(text);
  const Unit* const given = find_unit(suffix);
  const Unit* const wanted = find_unit(unit);
  const bool hexadecimal = text.contains('x') || text.contains('X');
  if (given == nullptr || wanted == nullptr || hexadecimal) return parse_number(text);
  if (given->dimension != wanted->dimension) {
    return std::unexpected(
        fmt::format("{} is in {}, and a number of {} was expected", in_quotes(text), suffix, units_like(*wanted)));
  }
  std::string_view amount = text.substr(0, end + 1);
  Number number;
  number.negative = amount.starts_with('-');
  if (amount.starts_with('-') || amount.starts_with('+')) amount.remove_prefix(1);

  const std::size_t dot = amount.find('.');
  const std::string_view places = dot == std::string_view::npos ? std::string_view() : amount.substr(dot + 1);
  if (places.size() > 9) return std::unexpected(fmt::format("{} has more than nine decimal places", in_quotes(text)));
  auto whole = digits(amount.substr(0, dot), 10, text);
  if (!whole) return std::unexpected(whole.error());
  std::uint64_t fraction = 0;
  std::uint64_t scale = 1;
  if (dot != std::string_view::npos) {
    auto found = digits(places, 10, text);
    if (!found || places.contains('_')) return not_a_number(text);
    fraction = *found;
    for (std::size_t i = 0; i < places.size(); ++i)
      scale *= 10;
  }
  // The largest scale is 2^42, nine places are 2^30: all of it stays below 2^127.
  const Wide most = Wide{kMost} * wanted->scale;
  if (Wide{*whole} * given->scale > most) return too_large(text);
  const Wide numerator = (Wide{*whole} * scale + fraction) * given->scale;
  const Wide denominator = Wide{scale} * wanted->scale;
  if (numerator % denominator != 0)
    return std::unexpected(fmt::format("{} is no whole number of {}", in_quotes(text), unit == "B" ? "bytes" : unit));
  if (numerator / denominator > kMost) return too_large(text);
  number.magnitude = static_cast<std::uint64_t>(numerator / denominator);
  if (number.magnitude == 0) number.negative = false;
  return number;
}

std::expected<std::uint64_t, std::string> parse_millionths(std::string_view text) {
  const std::size_t dot = text.find('.');
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (dot == std::string_view::npos || hexadecimal) {
    auto number = parse_number(text);
    if (!number) return std::unexpected(number.error());
    if (number->negative) return not_a_number(text);
    if (number->magnitude > kMost / kMillion) return too_large(text);
    return number->magnitude * kMillion;
  }
  auto whole = digits(text.substr(0, dot), 10, text);
  const std::string_view places = text.substr(dot + 1);
  auto fraction = digits(places, 10, text);
  if (!whole || !fraction || places.size() > 6 || places.contains('_')) {
    return std::unexpected(fmt::format("{} is no number with at most six decimal places", in_quotes(text)));
  }
  std::uint64_t millionths = *fraction;
  for (std::size_t i = places.size(); i < 6; ++i)
    millionths *= 10;
  if (*whole > (kMost - millionths) / kMillion) return too_large(text);
  return *whole * kMillion + millionths;
}

}  // namespace nvmlab::compiler
