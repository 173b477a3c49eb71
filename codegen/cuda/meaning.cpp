// SPDX-License-Identifier: Apache-2.0
#include "codegen/cuda/meaning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/yaml/tree.hpp"

namespace nvmlab::codegen::cuda {
namespace {

using yaml::Node;

std::string text_of(const Node& node, std::string_view key) {
  const Node* found = node.find(key);
  return found == nullptr ? std::string{} : found->scalar;
}

Result<std::int64_t> number_of(const Node& node) {
  std::int64_t value = 0;
  const std::string& text = node.scalar;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size())
    return fail_at(node, fmt::format("'{}' is not a number", text));
  return value;
}

// Symbols that a key of a `functions` mapping stands for: itself and its forms for each default stream.
std::vector<std::string> forms_of(const std::string& symbol, const Facts& facts) {
  std::vector<std::string> forms;
  for (const char* stream : {"", "_ptds", "_ptsz"}) {
    if (facts.functions.contains(symbol + stream)) forms.push_back(symbol + stream);
  }
  return forms;
}

std::expected<void, Error> add_calls(const Node& calls, const std::string& topic, const Facts& facts, Meaning& into) {
  for (const auto& [key, value] : calls.entries) {
    if (!value.is_mapping() || text_of(value, "call").empty())
      return fail_at(value, "{call: why it takes a function of its own} was expected");
    const auto forms = forms_of(key.scalar, facts);
    if (forms.empty()) return fail_at(key, fmt::format("there is no function {}", key.scalar));
    for (const std::string& form : forms) {
      const Verdict verdict{topic, true, text_of(value, "before_init") == "yes", text_of(value, "call")};
      if (!into.verdicts.emplace(form, verdict).second)
        return fail_at(key, fmt::format("{} has a verdict already", form));
    }
  }
  return {};
}

// After all calls: a base name has those of its versions that nothing else was said of.
std::expected<void, Error> add_refusals(const Node& groups, const std::string& topic, const Facts& facts,
                                        Meaning& into) {
  for (const Node& group : groups.items) {
    const std::string why = text_of(group, "why");
    const Node* const names = group.find("functions");
    if (why.empty() || names == nullptr || !names->is_sequence())
      return fail_at(group, "{why: reason, functions: [names without their versions]} was expected");
    for (const Node& name : names->items) {
      bool any = false;
      for (const auto& [symbol, function] : facts.functions) {
        if (parts_of(symbol).base != name.scalar) continue;
        any = into.verdicts.emplace(symbol, Verdict{topic, false, false, why}).second || any;
      }
      if (!any) return fail_at(name, fmt::format("there is no function {} without a verdict", name.scalar));
    }
  }
  return {};
}

Result<std::vector<Node>> topic_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code))
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<Node> files;
  for (const auto& path : paths) {
    auto file = yaml::parse_file(path);
    if (!file) return std::unexpected(file.error());
    files.push_back(std::move(*file));
  }
  return files;
}

std::expected<void, Error> read_verdicts(const std::filesystem::path& folder, const Facts& facts, Meaning& into) {
  const auto files = topic_files(folder);
  if (!files) return std::unexpected(files.error());
  for (const bool refusals : {false, true}) {
    for (const Node& file : *files) {
      const std::string topic = text_of(file, "topic");
      const Node* const found = file.find(refusals ? "unsupported" : "functions");
      if (found == nullptr) continue;
      auto added = refusals ? add_refusals(*found, topic, facts, into) : add_calls(*found, topic, facts, into);
      if (!added) return added;
    }
  }
  for (const auto& [symbol, function] : facts.functions) {
    if (!into.verdicts.contains(symbol)) return fail(fmt::format("{} has no verdict in {}", symbol, folder.string()));
  }
  return {};
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
