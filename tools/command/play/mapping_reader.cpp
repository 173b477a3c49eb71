// SPDX-License-Identifier: Apache-2.0
#include "command/play/mapping_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/duration.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"

namespace nvmlab::tool {

std::string found_instead(const yaml::Node& node, std::string_view wanted) {
  return fmt::format("{} was found; {} was expected",
                     node.is_scalar() ? in_quotes(node.scalar) : std::string(node.describe()), wanted);
}

MappingReader::MappingReader(const yaml::Node& node, std::string_view what, std::span<const std::string_view> keys,
                             compiler::Problems& problems)
    : node_(node), what_(what), problems_(problems) {
  const std::vector<std::string> known(keys.begin(), keys.end());
  if (!node.is_mapping()) {
    problem(node, found_instead(node, fmt::format("{} with the keys {}", what, fmt::join(known, ", "))));
    return;
  }
  for (const auto& [key, value] : node.entries) {
    if (std::ranges::find(known, key.scalar) == known.end())
      problem(key, fmt::format("{} has no {}; {}", what, in_quotes(key.scalar), hint(key.scalar, known, "its keys")));
  }
}

const yaml::Node* MappingReader::require(std::string_view key) const {
  const yaml::Node* const found = find(key);
  if (found == nullptr && node_.is_mapping()) problem(node_, fmt::format("{} needs '{}'", what_, key));
  return found;
}

const yaml::Node* MappingReader::scalar(std::string_view key, std::string_view wanted) const {
  const yaml::Node* const found = find(key);
  if (found == nullptr || (found->is_scalar() && !found->scalar.empty())) return found;
  problem(*found, fmt::format("{} for '{}'", found_instead(*found, wanted), key));
  return nullptr;
}

std::optional<std::string> MappingReader::text(std::string_view key) const {
  const yaml::Node* const found = scalar(key, "a text");
  if (found == nullptr) return std::nullopt;
  std::string text = found->scalar;
  text.erase(text.find_last_not_of(" \n") + 1);
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  return text;
}

std::optional<std::uint64_t> MappingReader::duration(std::string_view key) const {
  const yaml::Node* const found = scalar(key, "a span of time such as 90s");
  if (found == nullptr) return std::nullopt;
  const auto span = parse_duration(found->scalar);
  if (span) return *span;
  problem(*found, fmt::format("{}: {}", key, span.error()));
  return std::nullopt;
}

std::optional<std::uint64_t> MappingReader::number(std::string_view key, std::uint64_t highest) const {
  const std::string wanted = fmt::format("a whole number from 0 to {}", highest);
  const yaml::Node* const found = scalar(key, wanted);
  if (found == nullptr) return std::nullopt;
  const auto number = whole_number(found->scalar);
  if (number && *number <= highest) return number;
  problem(*found, fmt::format("{} for '{}'", found_instead(*found, wanted), key));
  return std::nullopt;
}

}  // namespace nvmlab::tool
