// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/walk/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/yaml/tree.hpp"
#include "codegen/meaning/id_rows.hpp"

namespace nvmlab::codegen::walk {
namespace {

using yaml::Node;

bool fits_whole(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  const std::string_view head = pattern.substr(0, star);
  if (!name.starts_with(head)) return false;
  const std::string_view rest = pattern.substr(star + 1);
  name.remove_prefix(head.size());
  for (std::size_t skipped = 0; skipped <= name.size(); ++skipped) {
    if (fits_whole(rest, name.substr(skipped))) return true;
  }
  return false;
}

std::vector<std::string> texts(const Node& list) {
  std::vector<std::string> all;
  if (list.is_scalar()) all.push_back(list.scalar);
  for (const Node& item : list.items)
    all.push_back(item.scalar);
  return all;
}

void mapping(const Node* node, std::map<std::string, std::string, std::less<>>& into) {
  if (node == nullptr) return;
  for (const auto& [key, value] : node->entries)
    into.emplace(key.scalar, value.scalar);
}

Result<InputRule> input_rule(const Node& key, const Node& content) {
  InputRule rule;
  rule.pattern = key.scalar;
  rule.place = fmt::format("{}:{}", key.place.file ? *key.place.file : "", key.place.line);
  for (const auto& [name, value] : content.entries) {
    if (name.scalar == "numbers") {
      rule.numbers = value.scalar;
    } else if (name.scalar == "values") {
      for (const std::string& text : texts(value))
        rule.values.push_back(std::strtoll(text.c_str(), nullptr, 0));
    } else if (name.scalar == "up_to") {
      rule.up_to = value.scalar;
    } else if (name.scalar == "seen") {
      rule.seen = texts(value);
    } else if (name.scalar == "while_supported") {
      rule.while_supported = value.scalar == "yes";
    } else {
      return fail_at(name, "'" + name.scalar + "' is none of numbers, values, up_to, seen, while_supported");
    }
  }
  const int forms = (rule.numbers.empty() ? 0 : 1) + (rule.values.empty() ? 0 : 1) + (rule.up_to.empty() ? 0 : 1) +
                    (rule.seen.empty() ? 0 : 1);
  if (forms != 1) return fail_at(key, key.scalar + " needs one of numbers, values, up_to, seen");
  return rule;
}

}  // namespace

bool fits(std::string_view pattern, std::string_view name) {
  if (pattern.find('.') == std::string_view::npos) {
    const std::size_t dot = name.rfind('.');
    if (dot != std::string_view::npos) name.remove_prefix(dot + 1);
  }
  return fits_whole(pattern, name);
}

const InputRule* Rules::input(std::string_view name) const {
  const auto at = std::ranges::find_if(inputs, [&](const InputRule& rule) { return fits(rule.pattern, name); });
  if (at == inputs.end()) return nullptr;
  at->used = true;
  return &*at;
}

std::string Rules::mask(std::string_view name) const {
  for (const auto& [kind, patterns] : identifiers) {
    if (std::ranges::any_of(patterns, [&](const std::string& pattern) { return fits(pattern, name); })) return kind;
  }
  return "none";
}

Result<Rules> load_rules(const std::filesystem::path& file) {
  const auto root = yaml::parse_file(file);
  if (!root) return std::unexpected(root.error());
  Rules rules;
  mapping(root->find("not_asked"), rules.not_asked);
  mapping(root->find("subjects"), rules.subjects);
  mapping(root->find("scopes"), rules.scopes);
  if (const Node* list = root->find("by_hand")) rules.by_hand = texts(*list);
  if (const Node* list = root->find("also_asked")) rules.also_asked = texts(*list);
  if (const Node* inputs = root->find("inputs")) {
    for (const auto& [key, content] : inputs->entries) {
      auto rule = input_rule(key, content);
      if (!rule) return std::unexpected(rule.error());
      rules.inputs.push_back(std::move(*rule));
    }
  }
  if (const Node* identifiers = root->find("identifiers")) {
    for (const auto& [key, content] : identifiers->entries) {
      if (key.scalar != "number" && key.scalar != "process" && key.scalar != "host")
        return fail_at(key, "'" + key.scalar + "' is none of number, process, host");
      rules.identifiers.emplace(key.scalar, texts(content));
    }
  }
  return rules;
}

}  // namespace nvmlab::codegen::walk
