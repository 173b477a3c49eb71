// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/walk/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "codegen/model/layouts.hpp"

namespace nvmlab::codegen::walk {

std::string identifier(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool part = c == ':' || c == '.' || c == '-';
    if (!part) text += c;
    if (part && !text.ends_with('_')) text += '_';
  }
  return text;
}

std::string Tables::make(const char* type, const std::string& name, const Designated& row, const std::string& before) {
  if (made_.insert(name).second) {
    *text_ += fmt::format("{}constinit const {} {}{};\n", before, type, name, row.row());
    declared_[type].insert(name);
  }
  return "&" + name;
}

void Tables::forget_tables() {
  made_.clear();
  texts_.clear();
  declared_.clear();
  text_ = nullptr;
}

std::string Tables::declarations() const {
  std::string text;
  for (const auto& [type, names] : declared_) {
    for (const std::string& name : names)
      text += fmt::format("extern const {} {};\n", type, name);
    text += "\n";
  }
  return text;
}

std::string Tables::names(const std::string& type, const std::vector<std::pair<std::string, std::string>>& all) {
  std::string rows;
  for (const auto& [name, value] : all)
    rows += fmt::format("    {},\n", Designated().named(name).with("value", value).row());
  const std::string list = "kAll_" + type;
  return make("Names", "kNames_" + type, Designated().with("type", '"' + type + '"').with("all", list),
              fmt::format("constexpr Name {}[] = {{\n{}}};\n", list, rows));
}

std::string Tables::names_of_enum(const Enum& list) {
  // The binding's enumeration has no end marks.
  const TypedEnum* typed = types_.enum_of(list.name);
  std::vector<std::pair<std::string, std::string>> all;
  for (const Enumerator& each : list.enumerators) {
    if (typed == nullptr ||
        std::ranges::find(typed->enumerators, each.name, &TypedEnumerator::c_name) != typed->enumerators.end())
      all.emplace_back(each.name, fmt::format("{}", each.value));
  }
  return names(list.name, all);
}

std::string Tables::names_of_typed(const TypedEnum& list) {
  if (const Enum* known = find(inputs_.newest.enums, list.c_type)) return names_of_enum(*known);
  std::vector<std::pair<std::string, std::string>> all;
  all.reserve(list.enumerators.size());
  for (const TypedEnumerator& each : list.enumerators)
    all.emplace_back(each.c_name, fmt::format("{}", each.bits));
  return names(list.name, all);
}

std::size_t Tables::slot_of_pattern(const std::vector<std::string>& patterns) {
  const auto at = std::ranges::find(slots_, patterns);
  if (at != slots_.end()) return static_cast<std::size_t>(at - slots_.begin());
  slots_.push_back(patterns);
  return slots_.size() - 1;
}

// Two inputs may be made from one output only if they name it alike: the first pattern that fits is its slot.
std::string Tables::slot(const std::string& full_name) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (std::ranges::any_of(slots_[i], [&](const std::string& pattern) { return fits(pattern, full_name); }))
      return std::to_string(i);
  }
  return "kNoSlot";
}

Result<std::uint64_t> Tables::number(const std::string& text) const {
  if (const Macro* macro = find(inputs_.newest.macros, text); macro != nullptr && macro->value)
    return macro->value->bits;
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos)
    return fail(fmt::format("model/recording.yaml: '{}' is neither a number nor a macro of the newest header", text));
  return std::stoull(text);
}

Result<std::string> Tables::input(const Type& type, const std::string& kind, const std::string& full_name) {
  const auto one_of = [&](const std::string& list) {
    return make("Input", "kInput_of_" + list.substr(list.find('_') + 1),
                Designated().with("from", "Input::From::names").with("names", list));
  };
  if (const Enum* list = find(inputs_.newest.enums, type.base)) return one_of(names_of_enum(*list));
  if (kind.starts_with("enum ")) {
    if (const TypedEnum* list = types_.enum_named(kind.substr(5))) return one_of(names_of_typed(*list));
  }
  if (const TypedEnum* list = types_.enum_of(type.base)) return one_of(names_of_typed(*list));
  const InputRule* rule = rules_.input(full_name);
  if (rule == nullptr)
    return fail(
        fmt::format("{} goes in: give it a row in `inputs` of model/recording.yaml, or its function one in "
                    "`not_asked`",
                    full_name));
  return input_by_rule(*rule);
}

Result<std::string> Tables::input_by_rule(const InputRule& rule) {
  const std::string part = rule.pattern.substr(rule.pattern.rfind('.') + 1);
  const bool plain = part.find('*') == std::string::npos;
  const std::string name = fmt::format("kInput_{}{}", &rule - rules_.inputs.data(), plain ? "_" + part : "");
  const bool supported = rule.while_supported;
  const auto row = [&](const char* from) {
    return Designated().with("from", fmt::format("Input::From::{}", from)).with("while_supported", supported, "false");
  };
  if (!rule.numbers.empty()) {
    const auto end = number(rule.numbers);
    if (!end) return std::unexpected(end.error());
    return make("Input", name, row("numbers").with("end", *end));
  }
  if (!rule.values.empty()) {
    const std::string values = "kValues_" + name.substr(7);
    return make("Input", name, row("values").with("values", values),
                fmt::format("constexpr long long {}[] = {{{}}};\n", values, fmt::join(rule.values, ", ")));
  }
  const bool up_to = !rule.up_to.empty();
  const std::size_t place = slot_of_pattern(up_to ? std::vector{rule.up_to} : rule.seen);
  late_.insert("&" + name);
  return make("Input", name, row(up_to ? "up_to_seen" : "seen").with("slot", place));
}

std::string Tables::version(const Designated& numbers, const std::string& record, const std::string& name,
                            const std::string& keys) {
  Designated row = numbers;
  row.with("record", record);
  if (keys.empty()) return row.row();
  const std::string table = "kKeys_" + identifier(name);
  *text_ += fmt::format("constexpr Key {}[] = {{\n{}}};\n", table, keys);
  return row.with("keys", table).row();
}

std::string Tables::versions(const std::string& name, const std::string& all) {
  const std::string table = "kVersions_" + identifier(name);
  *text_ += fmt::format("constexpr Version {}[] = {{\n{}}};\n", table, all);
  return table;
}

std::string Tables::parameters(const std::string& function, const std::vector<std::string>& all) {
  const std::string table = fmt::format("kParameters_{}", function);
  *text_ += fmt::format("constinit const Parameter {}[] = {{\n", table);
  for (const std::string& each : all)
    *text_ += fmt::format("    {},\n", each);
  *text_ += "};\n\n";
  declared_["Parameter"].insert(fmt::format("{}[{}]", table, all.size()));
  return table;
}

}  // namespace nvmlab::codegen::walk
