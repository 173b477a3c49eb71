// SPDX-License-Identifier: Apache-2.0
#include "command/machine/moments.hpp"

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <optional>

#include "base/duration.hpp"
#include "base/nearest.hpp"

namespace nvmlab::tool {
namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;

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
  const auto ago_ns = parse_duration(text);
  if (!ago_ns)
    return std::unexpected(
        fmt::format("{}: a time such as 90s, 15m, 2h, 1d ago or \"2026-11-22 16:02\" was expected", in_quotes(text)));
  return *ago_ns > now_ns ? 0 : now_ns - *ago_ns;
}

std::string local_time(std::uint64_t time_ns) {
  const auto seconds = static_cast<std::time_t>(time_ns / kSecondNs);
  std::tm parts{};
  if (::localtime_r(&seconds, &parts) == nullptr) return fmt::format("{}", time_ns);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
  return fmt::format("{}.{:06}", std::string_view(text.data(), length), time_ns / 1000 % 1'000'000);
}

}  // namespace nvmlab::tool
