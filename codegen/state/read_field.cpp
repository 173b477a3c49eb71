// SPDX-License-Identifier: Apache-2.0
#include "codegen/state/read_field.hpp"

#include <array>
#include <bit>
#include <charconv>

#include "base/yaml/tree.hpp"

namespace nvmlab::codegen {
namespace {

using yaml::Node;

template <class T>
bool to_number(std::string_view text, T& value) {
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc{} && end == text.data() + text.size();
}

// "list(fan, 8)" -> {"list", {"fan", "8"}}
struct TypeText {
  std::string name;
  std::vector<std::string> arguments;
};

TypeText split_type(const std::string& text) {
  TypeText type;
  const auto open = text.find('(');
  type.name = text.substr(0, open);
  if (open == std::string::npos) return type;
  std::string argument;
  for (std::size_t i = open + 1; i < text.size(); ++i) {
    if (text[i] == ',' || text[i] == ')') {
      type.arguments.push_back(argument);
      argument.clear();
    } else if (text[i] != ' ') {
      argument += text[i];
    }
  }
  return type;
}

Result<void> read_type(const Node& node, StateField& field) {
  const TypeText type = split_type(node.scalar);
  const auto capacity = [&](std::size_t index) {
    return type.arguments.size() == index + 1 && to_number(type.arguments[index], field.capacity) && field.capacity > 0;
  };
  static constexpr std::array<std::pair<std::string_view, FieldType>, 4> scalars{
      {{"u32", FieldType::u32}, {"u64", FieldType::u64}, {"i32", FieldType::i32}, {"flag", FieldType::flag}}};
  for (const auto& [name, scalar] : scalars) {
    if (type.name == name && type.arguments.empty()) {
      field.type = scalar;
      return {};
    }
  }
  if (type.name == "text" && capacity(0) && field.capacity % 8 == 0) {
    field.type = FieldType::text;
    return {};
  }
  if (type.name == "bytes" && capacity(0) && field.capacity % 8 == 0) {
    field.type = FieldType::bytes;
    return {};
  }
  if (type.name == "record" && type.arguments.size() == 1) {
    field.type = FieldType::record;
    field.record = type.arguments[0];
    return {};
  }
  if (type.name == "list" && capacity(1)) {
    const std::string& item = type.arguments[0];
    field.type = item == "u16"   ? FieldType::list_u16
                 : item == "u32" ? FieldType::list_u32
                 : item == "u64" ? FieldType::list_u64
                                 : FieldType::list_record;
    if (field.type == FieldType::list_record) field.record = item;
    return {};
  }
  return fail_at(
      node,
      "'" + node.scalar +
          "' is not a type; one of u32, u64, i32, flag, text(8N), bytes(8N), record(NAME), list(u16|u32|u64|NAME, N)");
}

Result<void> read_kind(const Node& node, StateField& field) {
  static constexpr std::array<std::pair<std::string_view, FieldKind>, 4> kinds{{{"fixed", FieldKind::fixed},
                                                                                {"setting", FieldKind::setting},
                                                                                {"live", FieldKind::live},
                                                                                {"counter", FieldKind::counter}}};
  for (const auto& [name, kind] : kinds) {
    if (node.scalar == name) {
      field.kind = kind;
      return {};
    }
  }
  return fail_at(node, "'" + node.scalar + "' is not a kind; one of fixed, setting, live, counter");
}

using Names = std::vector<std::pair<std::string, std::uint32_t>>;

Result<void> read_numbered(const Node& node, Names& names) {
  for (const auto& [label, value] : node.entries) {
    std::uint32_t number = 0;
    if (!to_number(value.scalar, number)) return fail_at(value, "a label stands for a number from 0 to 4294967295");
    names.emplace_back(label.scalar, number);
  }
  return {};
}

Result<void> read_bits(const Node& node, StateField& field) {
  if (auto read = read_numbered(node, field.bits); !read) return read;
  for (const auto& [name, value] : field.bits) {
    if (!std::has_single_bit(value)) return fail_at(node, "'" + name + "' stands for one bit: 1, 2, 4, ...");
  }
  return {};
}

Result<void> read_reset(const Node& node, StateField& field) {
  static constexpr std::array<std::pair<std::string_view, ResetRule>, 4> rules{{{"keep", ResetRule::keep},
                                                                                {"default", ResetRule::to_default},
                                                                                {"reload", ResetRule::reload},
                                                                                {"pending", ResetRule::pending}}};
  field.reset_given = true;
  for (const auto& [name, rule] : rules) {
    if (node.scalar == name) {
      field.reset = rule;
      return {};
    }
  }
  return fail_at(node, "'" + node.scalar + "' is not a rule for resets; one of keep, default, reload, pending");
}

Result<std::vector<std::string>> read_names(const Node& node, const char* of_what) {
  if (!node.is_sequence() || node.items.empty())
    return fail_at(node, std::string("a list of ") + of_what + " is needed");
  std::vector<std::string> names;
  names.reserve(node.items.size());
  for (const Node& item : node.items)
    names.push_back(item.scalar);
  return names;
}

Result<void> read_derived(const Node& node, StateField& field) {
  const Node* by = node.is_mapping() ? node.find("by") : nullptr;
  const Node* from = node.is_mapping() ? node.find("from") : nullptr;
  if (by == nullptr || by->scalar.empty() || from == nullptr)
    return fail_at(node, "a derived field needs {by: FUNCTION, from: [TOPIC.FIELD, ...]}");
  field.derived = by->scalar;
  auto names = read_names(*from, "fields");
  if (!names) return std::unexpected(names.error());
  field.derived_from = std::move(*names);
  return {};
}

Result<void> read_cleared_by(const Node& node, StateField& field) {
  auto names = read_names(node, "what clears the counter");
  if (!names) return std::unexpected(names.error());
  field.cleared_by = std::move(*names);
  return {};
}

Result<void> read_range(const Node& node, StateField& field) {
  field.ranged = true;
  if (node.items.size() != 2 || !to_number(node.items[0].scalar, field.low) ||
      !to_number(node.items[1].scalar, field.high) || field.low > field.high)
    return fail_at(node, "a range is [LOWEST, HIGHEST]");
  return {};
}

Result<void> read_within(const Node& node, StateField& field) {
  if (node.items.size() != 2 || node.items[0].scalar.empty() || node.items[1].scalar.empty())
    return fail_at(node, "the board's range is [LOWEST, HIGHEST], numbers or names of fields");
  field.lowest = node.items[0].scalar;
  field.highest = node.items[1].scalar;
  return {};
}

Result<void> check_setting(const Node& key, const StateField& field) {
  if (field.kind == FieldKind::setting && field.record.empty() && field.set_by.empty())
    return fail_at(key, "the setting '" + field.name + "' has no 'set_by': the NVML function that sets it, or none");
  if (field.kind != FieldKind::setting && !field.set_by.empty())
    return fail_at(key, "field '" + field.name + "' is not a setting, so nothing sets it");
  const bool number = field.type == FieldType::u32 || field.type == FieldType::u64 || field.type == FieldType::i32;
  if (!field.lowest.empty() && !number)
    return fail_at(key, "field '" + field.name + "' has 'within', so its type is u32, u64 or i32");
  return {};
}

// The attributes that an attribute needs or excludes.
Result<void> check_field(const Node& key, const StateField& field) {
  const bool has_default = !field.default_value.empty();
  const bool needs_default = field.reset == ResetRule::to_default || field.reset == ResetRule::reload;
  if (field.kind == FieldKind::setting && !field.reset_given && field.derived.empty() && field.record.empty())
    return fail_at(key, "the setting '" + field.name + "' has no 'reset'; one of keep, default, reload, pending");
  if (needs_default && !has_default)
    return fail_at(key, "field '" + field.name + "' goes back to its default and has no 'default'");
  if (has_default && !needs_default)
    return fail_at(key, "field '" + field.name + "' has a 'default' that no reset brings back");
  if (!field.bits.empty() && field.type != FieldType::u32 && field.type != FieldType::u64)
    return fail_at(key, "field '" + field.name + "' has 'bits', so its type is u32 or u64");
  if (!field.cleared_by.empty() && field.kind != FieldKind::counter)
    return fail_at(key, "field '" + field.name + "' is no counter, so nothing clears it");
  return check_setting(key, field);
}

}  // namespace

Result<StateField> read_field(const Node& key, const Node& value) {
  StateField field;
  field.name = key.scalar;
  if (!value.is_mapping())
    return fail_at(value, "field '" + key.scalar + "' needs {type, kind, doc}, found " + std::string(value.describe()));
  for (const auto& [attribute, content] : value.entries) {
    Result<void> read;
    if (attribute.scalar == "type") {
      read = read_type(content, field);
    } else if (attribute.scalar == "kind") {
      read = read_kind(content, field);
    } else if (attribute.scalar == "labels") {
      read = read_numbered(content, field.labels);
    } else if (attribute.scalar == "bits") {
      read = read_bits(content, field);
    } else if (attribute.scalar == "reset") {
      read = read_reset(content, field);
    } else if (attribute.scalar == "default") {
      field.default_value = content.scalar;
    } else if (attribute.scalar == "cleared_by") {
      read = read_cleared_by(content, field);
    } else if (attribute.scalar == "derived") {
      read = read_derived(content, field);
    } else if (attribute.scalar == "unit_specific") {
      if (content.scalar != "true") return fail_at(content, "`unit_specific` is true, or left out");
      field.unit_specific = true;
    } else if (attribute.scalar == "unit") {
      field.unit = content.scalar;
    } else if (attribute.scalar == "doc") {
      field.doc = content.scalar;
    } else if (attribute.scalar == "range") {
      read = read_range(content, field);
    } else if (attribute.scalar == "within") {
      read = read_within(content, field);
    } else if (attribute.scalar == "set_by") {
      field.set_by = content.scalar;
    } else if (attribute.scalar == "follows") {
      field.follows = content.scalar;
    } else {
      return fail_at(attribute, "'" + attribute.scalar +
                                    "' is not an attribute of a field; one of type, kind, unit, labels, bits, range, "
                                    "within, set_by, follows, reset, default, cleared_by, derived, unit_specific, "
                                    "doc");
    }
    if (!read) return std::unexpected(read.error());
  }
  for (const char* needed : {"type", "kind", "doc"}) {
    if (value.find(needed) == nullptr) return fail_at(key, "field '" + key.scalar + "' has no '" + needed + "'");
  }
  if (const auto sound = check_field(key, field); !sound) return std::unexpected(sound.error());
  return field;
}

}  // namespace nvmlab::codegen
