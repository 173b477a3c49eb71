// SPDX-License-Identifier: Apache-2.0
#include "codegen/model/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

namespace nvmlab::codegen {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view next_part(std::string_view& rest) {
  const std::size_t dot = rest.find('.');
  const std::string_view part = rest.substr(0, dot);
  rest = dot == std::string_view::npos ? std::string_view{} : rest.substr(dot + 1);
  return part;
}

std::string_view without_zeros(std::string_view part) {
  while (part.size() > 1 && part.front() == '0')
    part.remove_prefix(1);
  return part;
}

}  // namespace

bool is_version(std::string_view text) {
  bool after_digit = false;
  for (const char c : text) {
    if (!is_digit(c) && !(c == '.' && after_digit)) return false;
    after_digit = is_digit(c);
  }
  return after_digit;
}

std::strong_ordering compare_versions(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const std::string_view left = without_zeros(next_part(a));
    const std::string_view right = without_zeros(next_part(b));
    if (const auto order = left.size() <=> right.size(); order != 0) return order;
    if (const auto order = left <=> right; order != 0) return order;
  }
  return a.size() <=> b.size();
}

Result<std::string> resolve_version(const std::vector<std::string>& known, std::string_view wanted) {
  if (const auto exact = std::ranges::find(known, wanted); exact != known.end()) return *exact;
  const std::string prefix = fmt::format("{}.", wanted);
  const auto backwards = std::views::reverse(known);
  const auto newest = std::ranges::find_if(backwards, [&](const auto& v) { return v.starts_with(prefix); });
  if (newest != backwards.end()) return *newest;
  if (known.empty()) return fail(fmt::format("unknown release '{}': the registry holds no release at all", wanted));
  if (!is_version(wanted)) {
    return fail(fmt::format("'{}' is not a release; write numbers and dots, such as {}", wanted, known.back()));
  }
  const auto after = std::ranges::lower_bound(known, wanted, VersionLess{});
  std::vector<std::string> near;
  if (after != known.begin()) near.push_back(*(after - 1));
  if (after != known.end()) near.push_back(*after);
  return fail(fmt::format("unknown release '{}'; the nearest known: {}", wanted, fmt::join(near, " and ")));
}

}  // namespace nvmlab::codegen
