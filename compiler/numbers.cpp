// SPDX-License-Identifier: Apache-2.0
#include "compiler/numbers.hpp"

#include <fmt/format.h>

#include <limits>

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

std::expected<Number, std::string> parse_bytes(std::string_view text) {
  std::uint64_t unit = 0;
  if (text.ends_with("KiB")) unit = std::uint64_t{1} << 10;
  if (text.ends_with("MiB")) unit = std::uint64_t{1} << 20;
  if (text.ends_with("GiB")) unit = std::uint64_t{1} << 30;
  if (unit == 0) return parse_number(text);
  std::string_view amount = text.substr(0, text.size() - 3);
  while (amount.ends_with(' '))
    amount.remove_suffix(1);

  const std::size_t dot = amount.find('.');
  auto whole = digits(amount.substr(0, dot), 10, text);
  if (!whole) return std::unexpected(whole.error());
  if (*whole > kMost / unit) return too_large(text);
  Number number{false, *whole * unit};
  if (dot == std::string_view::npos) return number;

  // unit is a power of two not above 2^30 and a fraction has at most nine digits, so the product stays below 2^60.
  const std::string_view places = amount.substr(dot + 1);
  if (places.size() > 9) return std::unexpected(fmt::format("{} has more than nine decimal places", in_quotes(text)));
  auto fraction = digits(places, 10, text);
  if (!fraction || places.contains('_')) return not_a_number(text);
  std::uint64_t scale = 1;
  for (std::size_t i = 0; i < places.size(); ++i)
    scale *= 10;
  if (*fraction * unit % scale != 0)
    return std::unexpected(fmt::format("{} is no whole number of bytes", in_quotes(text)));
  const std::uint64_t more = *fraction * unit / scale;
  if (more > kMost - number.magnitude) return too_large(text);
  number.magnitude += more;
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
