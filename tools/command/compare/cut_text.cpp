// SPDX-License-Identifier: Apache-2.0
#include "command/compare/cut_text.hpp"

#include <algorithm>
#include <string_view>

#include "command/cli/output.hpp"

namespace nvmlab::tool {
namespace {

constexpr std::string_view kCut = "...";

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

}  // namespace

std::string cut_end(const std::string& text, std::size_t columns) {
  if (width(text) <= columns) return text;
  std::string out;
  std::size_t taken = 0;
  for (const char byte : text) {
    if (!continues(byte) && taken + kCut.size() == columns) break;
    taken += continues(byte) ? 0 : 1;
    out += byte;
  }
  return out + std::string(kCut);
}

std::string cut_middle(const std::string& name, std::size_t columns) {
  if (name.size() <= columns || columns <= kCut.size() + 2) return name;
  const std::size_t kept = columns - kCut.size();
  const std::size_t front = kept / 3;
  return name.substr(0, front) + std::string(kCut) + name.substr(name.size() - (kept - front));
}

std::pair<std::string, std::string> cut_pair(const std::string& a, std::size_t columns_a, const std::string& b,
                                             std::size_t columns_b) {
  std::string shown_a = cut_end(a, columns_a);
  std::string shown_b = cut_end(b, columns_b);
  const std::size_t columns = std::min(columns_a, columns_b);
  const auto parting = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  const bool whole = shown_a == a && shown_b == b;
  if (whole || a == b || columns <= kCut.size() || parting + kCut.size() < columns) return {shown_a, shown_b};
  // From a little before that place on, or from further up where the room reaches.
  constexpr std::size_t before = 2;
  const std::size_t kept = columns - kCut.size();
  const std::size_t longest = std::max(a.size(), b.size());
  std::size_t start = std::min(parting - std::min(parting, before), longest - std::min(longest, kept));
  while (start > 0 && continues(a[start]))
    --start;
  const std::string cut(kCut);
  return {cut_end(cut + a.substr(start), columns_a), cut_end(cut + b.substr(start), columns_b)};
}

}  // namespace nvmlab::tool
