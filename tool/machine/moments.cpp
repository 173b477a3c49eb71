// SPDX-License-Identifier: Apache-2.0
#include "tool/machine/moments.hpp"

#include <fmt/format.h>

#include <ctime>
#include <optional>

#include "base/nearest.hpp"
#include "base/text.hpp"

namespace nvmlab::tool {
namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;

// 0: no unit.
std::uint64_t seconds_of(char unit) {
  switch (unit) {
    case 's':
      return 1;
    case 'm':
      return 60;
    case 'h':
      return 3600;
    case 'd':
      return 86400;
    default:
      return 0;
  }
}

std::optional<std::uint64_t> read_date(const std::string& text) {
  for (const char* format : {"%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d"}) {
    std::tm parts{};
    parts.tm_isdst = -1;  // let the zone say
    const char* const end = ::strptime(text.c_str(), format, &parts);
    if (end == nullptr || *end != '\0') continue;
    const std::time_t seconds = std::mktime(&parts);
    if (seconds >= 0) return static_cast<std::uint64_t>(seconds) * kSecondNs;
  }
  return std::nullopt;
}

}  // namespace

std::expected<std::uint64_t, std::string> read_moment(const std::string& text, std::uint64_t now_ns) {
  if (const auto date = read_date(text)) return *date;
  const std::uint64_t unit = text.empty() ? 0 : seconds_of(text.back());
  const auto count = unit == 0 ? std::nullopt : whole_number(std::string_view(text).substr(0, text.size() - 1));
  if (!count)
    return std::unexpected(
        fmt::format("{}: a time such as 90s, 15m, 2h, 1d ago or \"2026-11-22 16:02\" was expected", in_quotes(text)));
  const std::uint64_t longest = now_ns / kSecondNs / unit;
  return *count > longest ? 0 : now_ns - *count * unit * kSecondNs;
}

}  // namespace nvmlab::tool
