// SPDX-License-Identifier: Apache-2.0
#include "command/trace/cells.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

namespace nvmlab::tool {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// Takes `count` digits from the front.
std::optional<unsigned> take_digits(std::string_view& text, std::size_t count) {
  unsigned number = 0;
  if (text.size() < count) return std::nullopt;
  const char* const last = text.data() + count;
  const auto [end, error] = std::from_chars(text.begin(), last, number);
  if (error != std::errc() || end != last) return std::nullopt;
  text.remove_prefix(count);
  return number;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// Days since 1970 of "2026/07/14" or "20260714".
std::optional<std::uint64_t> take_date(std::string_view& text) {
  const auto year = take_digits(text, 4);
  const bool slashes = take(text, '/');
  const auto month = take_digits(text, 2);
  if (slashes && !take(text, '/')) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month),
                                         std::chrono::day(*day)};
  if (!date.ok() || *year < 1970) return std::nullopt;
  return static_cast<std::uint64_t>(std::chrono::sys_days(date).time_since_epoch().count());
}

std::optional<std::uint64_t> take_time(std::string_view& text) {
  const auto hours = take_digits(text, 2);
  if (!hours || !take(text, ':')) return std::nullopt;
  const auto minutes = take_digits(text, 2);
  if (!minutes || !take(text, ':')) return std::nullopt;
  const auto seconds = take_digits(text, 2);
  if (!seconds || *hours > 23 || *minutes > 59 || *seconds > 60) return std::nullopt;
  std::uint64_t milliseconds = 0;
  if (take(text, '.')) {
    const auto fraction = take_digits(text, 3);
    if (!fraction) return std::nullopt;
    milliseconds = *fraction;
  }
  return ((*hours * 60ull + *minutes) * 60 + *seconds) * 1'000'000'000 + milliseconds * 1'000'000;
}

}  // namespace

std::vector<Cell> cells_of_csv(std::string_view line) {
  std::vector<Cell> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    const std::string_view text = trimmed(line.substr(begin, end - begin));
    cells.push_back({text, (text.empty() ? begin : static_cast<std::size_t>(text.data() - line.data())) + 1});
    begin = end + 1;
  }
  return cells;
}

std::vector<Cell> words_of(std::string_view line) {
  std::vector<Cell> words;
  for (std::size_t begin = 0; (begin = line.find_first_not_of(kBlanks, begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back({line.substr(begin, end - begin), begin + 1});
    begin = end;
  }
  return words;
}

bool says_absent(std::string_view text) {
  return text.empty() || text == "-" || text == "N/A" || (text.starts_with('[') && text.ends_with(']'));
}

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  if (text.starts_with("0x")) {
    std::uint64_t bits = 0;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return static_cast<double>(bits);
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  constexpr std::string_view known[] = {"", " %", " W", " MHz", " MiB", " C", " us", " KB/s", " MB/s", " mJ", "%"};
  if (std::ranges::find(known, unit) == std::end(known)) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> time_of(std::string_view text) {
  std::uint64_t days = 0;
  if (text.find(' ') != std::string_view::npos) {
    const auto date = take_date(text);
    if (!date || !take(text, ' ')) return std::nullopt;
    days = *date;
  }
  const auto time = take_time(text);
  if (!time || !text.empty()) return std::nullopt;
  return days * 86'400'000'000'000 + *time;
}

}  // namespace nvmlab::tool
