// SPDX-License-Identifier: Apache-2.0
// The verdict `change`: which one, and what its members take.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "codegen/meaning/reader.hpp"

namespace nvmlab::codegen {

using yaml::Node;

namespace {

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }
bool is_capital(char letter) { return std::isupper(static_cast<unsigned char>(letter)) != 0; }

// A number; a name of C or of the engine, which begin with a capital; or a constant of the engine, kFastestPstate.
bool is_constant(const std::string& text) {
  if (text.empty()) return false;
  return is_digit(text[0]) || is_capital(text[0]) || (text.size() > 1 && text[0] == 'k' && is_capital(text[1]));
}

}  // namespace

// After all attributes: the parameter that chooses, and the members.
Result<void> VerdictReader::changed(const Node& key, Verdict& verdict) const {
  verdict.constants.clear();
  if (verdict.change.empty() || !is_capital(verdict.change[0]))
    return fail_at(key, verdict.function + ": `change` names a record of engine/topics/*/*_changes.hpp");
  if (nodes_.choices != nullptr) return fail_at(*nodes_.choices, "a `change` chooses with `by`");
  if (nodes_.by != nullptr) {
    if (!nodes_.by->is_scalar()) return fail_at(*nodes_.by, "one parameter chooses for a `change`");
    if (auto known = parameter(*nodes_.by, verdict); !known) return known;
    verdict.by.push_back(nodes_.by->scalar);
  }
  if (nodes_.with != nullptr) {
    for (const auto& [name, content] : nodes_.with->entries) {
      if (auto read = member(name, content, verdict); !read) return read;
    }
  }
  const auto tables = std::ranges::count_if(verdict.members, [](const auto& each) { return !each.table.empty(); });
  if (tables > 1) return fail_at(*nodes_.with, "only one member of a change may depend on `by`");
  if (tables == 1 && verdict.by.empty()) return fail_at(*nodes_.with, "a table needs `by`, the parameter that chooses");
  if (tables == 0 && !verdict.by.empty()) return fail_at(*nodes_.by, "no member has a table for `by` to choose from");
  return {};
}

Result<void> VerdictReader::member(const Node& name, const Node& content, Verdict& verdict) const {
  ChangeMember made{name.scalar, content.scalar, {}};
  if (!content.is_mapping()) {
    if (auto known = given(content, verdict); !known) return known;
  }
  for (const auto& [choice, value] : content.entries) {
    if (!value.is_null()) {
      if (auto known = given(value, verdict); !known) return known;
    }
    made.table.emplace_back(choice.scalar, value.is_null() ? "" : value.scalar);
  }
  verdict.members.push_back(std::move(made));
  return {};
}

// What a member takes has to be there.
Result<void> VerdictReader::given(const Node& content, const Verdict& verdict) const {
  if (is_constant(content.scalar)) return {};
  return parameter(content, verdict);
}

}  // namespace nvmlab::codegen
