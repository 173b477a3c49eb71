// SPDX-License-Identifier: Apache-2.0
#include "codegen/cuda/meaning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/yaml/tree.hpp"
#include "codegen/cuda/verdict_files.hpp"

namespace nvmlab::codegen::cuda {
namespace {

using yaml::Node;

Result<std::int64_t> number_of(const Node& node) {
  std::int64_t value = 0;
  const std::string& text = node.scalar;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size())
    return fail_at(node, fmt::format("'{}' is not a number", text));
  return value;
}

std::expected<void, Error> read_verdicts(const std::filesystem::path& folder, const Facts& facts, Meaning& into) {
  VerdictReader reader;
  for (const auto& [symbol, function] : facts.functions)
    reader.symbols.insert(symbol);
  reader.accept = [&into](const std::string& symbol, const Node& node,
                          const std::string& topic) -> std::expected<void, Error> {
    if (!node.is_mapping() || text_of(node, "call").empty())
      return fail_at(node, "{call: why it takes a function of its own} was expected");
    into.verdicts[symbol] = {topic, true, text_of(node, "before_init") == "yes", text_of(node, "call")};
    return {};
  };
  reader.refuse = [&into](const std::string& symbol, const std::string& why, const std::string& topic) {
    into.verdicts[symbol] = {topic, false, false, why};
  };
  return read_verdict_files(folder, reader);
}

std::expected<void, Error> read_capabilities(const Node& node, Attribute& attribute) {
  for (const auto& [key, value] : node.entries) {
    const std::size_t dot = key.scalar.find('.');
    if (dot == std::string::npos) return fail_at(key, "a compute capability was expected, such as \"8.0\"");
    const auto number = number_of(value);
    if (!number) return std::unexpected(number.error());
    const auto release = release_number(key.scalar);
    attribute.by_capability.emplace_back(release / 1000 * 10 + release % 1000 / 10, *number);
  }
  if (!std::ranges::is_sorted(attribute.by_capability)) return fail_at(node, "compute capabilities go from old to new");
  return {};
}

Result<Attribute> read_attribute(const Node& key, const Node& node, const Facts& facts) {
  Attribute attribute;
  attribute.name = "CU_DEVICE_ATTRIBUTE_" + key.scalar;
  const auto fact = facts.attributes.find(attribute.name);
  if (fact == facts.attributes.end()) return fail_at(key, fmt::format("cuda.h has no {}", attribute.name));
  attribute.id = fact->second.value;
  attribute.since = fact->second.since;
  attribute.field = text_of(node, "field");
  attribute.rule = text_of(node, "rule");
  attribute.source = text_of(node, "source");
  constexpr std::string_view kSources[] = {"state", "capture", "guide", "assumed"};
  if (std::ranges::find(kSources, attribute.source) == std::end(kSources))
    return fail_at(node, "a source was expected: state, capture, guide or assumed");
  for (const char* word : {"or", "value"}) {
    if (const Node* found = node.find(word)) {
      const auto number = number_of(*found);
      if (!number) return std::unexpected(number.error());
      attribute.value = *number;
    }
  }
  if (const Node* found = node.find("item")) {
    const auto number = number_of(*found);
    if (!number) return std::unexpected(number.error());
    attribute.item = static_cast<unsigned>(*number);
  }
  if (const Node* found = node.find("by_capability")) {
    if (auto read = read_capabilities(*found, attribute); !read) return std::unexpected(read.error());
  }
  if (!attribute.value && attribute.rule.empty() && attribute.by_capability.empty())
    return fail_at(node, "a value, a rule or by_capability was expected; beside a field, what stands in for it (or)");
  return attribute;
}

std::expected<void, Error> read_attributes(const std::filesystem::path& path, const Facts& facts, Meaning& into) {
  const auto file = yaml::parse_file(path);
  if (!file) return std::unexpected(file.error());
  const Node* const rows = file->find("attributes");
  if (rows == nullptr) return fail_at(*file, "attributes was expected");
  std::set<std::int64_t> known;
  for (const auto& [key, value] : rows->entries) {
    auto attribute = read_attribute(key, value, facts);
    if (!attribute) return std::unexpected(attribute.error());
    known.insert(attribute->id);
    into.attributes.push_back(std::move(*attribute));
  }
  std::ranges::sort(into.attributes, {}, &Attribute::id);
  for (const auto& [name, constant] : facts.attributes) {
    if (name != "CU_DEVICE_ATTRIBUTE_MAX" && !known.contains(constant.value))
      return fail_at(*rows, fmt::format("{} is missing", name));
  }
  return {};
}

std::expected<void, Error> read_results(const std::filesystem::path& path, const Facts& facts, Meaning& into) {
  const auto file = yaml::parse_file(path);
  if (!file) return std::unexpected(file.error());
  for (const auto& [name, constant] : facts.results) {
    const Node* const row = file->find(name);
    if (row == nullptr) return fail_at(*file, fmt::format("{} is missing", name));
    into.results.push_back({name, constant.value, text_of(*row, "text"), text_of(*row, "source")});
  }
  std::ranges::sort(into.results, {}, &ResultText::value);
  return {};
}

}  // namespace

Result<Meaning> load_meaning(const std::filesystem::path& folder, const Facts& facts) {
  Meaning meaning;
  if (auto read = read_verdicts(folder / "functions", facts, meaning); !read) return std::unexpected(read.error());
  if (auto read = read_attributes(folder / "attributes.yaml", facts, meaning); !read)
    return std::unexpected(read.error());
  if (auto read = read_results(folder / "results.yaml", facts, meaning); !read) return std::unexpected(read.error());
  return meaning;
}

}  // namespace nvmlab::codegen::cuda
