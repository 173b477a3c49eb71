// SPDX-License-Identifier: Apache-2.0
#include "command/compare/name_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "command/cli/output.hpp"
#include "control/selection.hpp"

namespace nvmlab::tool {
namespace {

bool digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

// A name around one of its numbers.
struct Around {
  std::string before;
  std::string after;
  bool operator<(const Around& other) const {
    return before != other.before ? before < other.before : after < other.after;
  }
};
struct Split {
  Around around;
  std::uint32_t number = 0;
};

std::vector<Split> splits_of(const std::string& name) {
  constexpr std::size_t longest = 6;  // digits of a number that counts something
  std::vector<Split> splits;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (!digit(name[at])) continue;
    std::size_t end = at;
    while (end < name.size() && digit(name[end]))
      ++end;
    if (end - at <= longest) {
      splits.push_back(
          {{name.substr(0, at), name.substr(end)}, static_cast<std::uint32_t>(std::stoul(name.substr(at, end - at)))});
    }
    at = end;
  }
  return splits;
}

}  // namespace

std::vector<std::string> with_ranges(const std::vector<std::string>& names) {
  constexpr std::size_t enough = 3;
  std::map<Around, std::vector<std::uint32_t>> families;
  for (const std::string& name : names) {
    for (const Split& split : splits_of(name))
      families[split.around].push_back(split.number);
  }
  std::vector<std::string> out;
  std::map<Around, bool> told;
  for (const std::string& name : names) {
    const Around* family = nullptr;
    std::size_t most = enough - 1;
    const auto splits = splits_of(name);
    for (const Split& split : splits) {
      if (families[split.around].size() <= most) continue;
      family = &split.around;
      most = families[split.around].size();
    }
    if (family == nullptr) {
      out.push_back(name);
    } else if (bool& known = told[*family]; !known) {
      known = true;
      auto numbers = families[*family];
      std::ranges::sort(numbers);
      out.push_back(fmt::format("{}{}{}", family->before, control::name_gpus(numbers), family->after));
    }
  }
  return out;
}

void NameList::add(const std::string& topic, const std::string& name) {
  if (topics_.empty() || topics_.back().name != topic) topics_.push_back({topic, {}});
  auto& names = topics_.back().names;
  if (names.empty() || names.back() != name) names.push_back(name);
}

std::string NameList::text(std::string_view says, std::size_t columns) const {
  constexpr std::size_t indent = 2;
  std::size_t count = 0;
  std::string paragraphs;
  for (const Topic& topic : topics_) {
    count += topic.names.size();
    paragraphs += wrap(fmt::format("{}: {}", topic.name, fmt::join(with_ranges(topic.names), ", ")), indent, columns);
  }
  return count == 0 ? "" : fmt::format("\n{}\n{}", heading(fmt::format("{} ({})", says, count)), paragraphs);
}

}  // namespace nvmlab::tool
