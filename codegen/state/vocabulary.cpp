// SPDX-License-Identifier: Apache-2.0
#include "codegen/state/vocabulary.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "base/yaml/tree.hpp"

namespace nvmlab::codegen {
namespace {

using yaml::Node;
template <class T>
using Checked = std::expected<T, std::string>;

std::unexpected<std::string> refuse(const Node& node, const std::string& message) {
  return std::unexpected(node.error(message).text());
}

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

Checked<void> read_type(const Node& node, StateField& field) {
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
  return refuse(
      node,
      "'" + node.scalar +
          "' is not a type; one of u32, u64, i32, flag, text(8N), bytes(8N), record(NAME), list(u16|u32|u64|NAME, N)");
}

Checked<void> read_kind(const Node& node, StateField& field) {
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
  return refuse(node, "'" + node.scalar + "' is not a kind; one of fixed, setting, live, counter");
}

Checked<void> read_labels(const Node& node, StateField& field) {
  for (const auto& [label, value] : node.entries) {
    std::uint32_t number = 0;
    if (!to_number(value.scalar, number)) return refuse(value, "a label stands for a number from 0 to 4294967295");
    field.labels.emplace_back(label.scalar, number);
  }
  return {};
}

Checked<void> read_reset(const Node& node, StateField& field) {
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
  return refuse(node, "'" + node.scalar + "' is not a rule for resets; one of keep, default, reload, pending");
}

Checked<std::vector<std::string>> read_names(const Node& node, const char* of_what) {
  if (!node.is_sequence() || node.items.empty())
    return refuse(node, std::string("a list of ") + of_what + " is needed");
  std::vector<std::string> names;
  names.reserve(node.items.size());
  for (const Node& item : node.items)
    names.push_back(item.scalar);
  return names;
}

Checked<void> read_derived(const Node& node, StateField& field) {
  const Node* by = node.is_mapping() ? node.find("by") : nullptr;
  const Node* from = node.is_mapping() ? node.find("from") : nullptr;
  if (by == nullptr || by->scalar.empty() || from == nullptr)
    return refuse(node, "a derived field needs {by: FUNCTION, from: [TOPIC.FIELD, ...]}");
  field.derived = by->scalar;
  auto names = read_names(*from, "fields");
  if (!names) return std::unexpected(names.error());
  field.derived_from = std::move(*names);
  return {};
}

Checked<void> read_cleared_by(const Node& node, StateField& field) {
  auto names = read_names(node, "what clears the counter");
  if (!names) return std::unexpected(names.error());
  field.cleared_by = std::move(*names);
  return {};
}

// What one attribute must have beside it.
Checked<void> check_field(const Node& key, const StateField& field) {
  const bool has_default = !field.default_value.empty();
  const bool needs_default = field.reset == ResetRule::to_default || field.reset == ResetRule::reload;
  if (field.kind == FieldKind::setting && !field.reset_given && field.derived.empty() && field.record.empty())
    return refuse(key, "the setting '" + field.name + "' has no 'reset'; one of keep, default, reload, pending");
  if (needs_default && !has_default)
    return refuse(key, "field '" + field.name + "' goes back to its default and has no 'default'");
  if (has_default && !needs_default)
    return refuse(key, "field '" + field.name + "' has a 'default' that no reset brings back");
  if (!field.cleared_by.empty() && field.kind != FieldKind::counter)
    return refuse(key, "field '" + field.name + "' is no counter, so nothing clears it");
  return {};
}

Checked<StateField> read_field(const Node& key, const Node& value) {
  StateField field;
  field.name = key.scalar;
  if (!value.is_mapping())
    return refuse(value, "field '" + key.scalar + "' needs {type, kind, doc}, found " + std::string(value.describe()));
  for (const auto& [attribute, content] : value.entries) {
    Checked<void> read;
    if (attribute.scalar == "type") {
      read = read_type(content, field);
    } else if (attribute.scalar == "kind") {
      read = read_kind(content, field);
    } else if (attribute.scalar == "labels") {
      read = read_labels(content, field);
    } else if (attribute.scalar == "reset") {
      read = read_reset(content, field);
    } else if (attribute.scalar == "default") {
      field.default_value = content.scalar;
    } else if (attribute.scalar == "cleared_by") {
      read = read_cleared_by(content, field);
    } else if (attribute.scalar == "derived") {
      read = read_derived(content, field);
    } else if (attribute.scalar == "unit_specific") {
      if (content.scalar != "true") return refuse(content, "`unit_specific` is true, or left out");
      field.unit_specific = true;
    } else if (attribute.scalar == "unit") {
      field.unit = content.scalar;
    } else if (attribute.scalar == "doc") {
      field.doc = content.scalar;
    } else if (attribute.scalar == "range") {
      field.ranged = true;
      if (content.items.size() != 2 || !to_number(content.items[0].scalar, field.low) ||
          !to_number(content.items[1].scalar, field.high) || field.low > field.high) {
        return refuse(content, "a range is [LOWEST, HIGHEST]");
      }
    } else {
      return refuse(
          attribute,
          "'" + attribute.scalar +
              "' is not an attribute of a field; one of type, kind, unit, labels, range, reset, default, cleared_by, "
              "derived, unit_specific, doc");
    }
    if (!read) return std::unexpected(read.error());
  }
  for (const char* needed : {"type", "kind", "doc"}) {
    if (value.find(needed) == nullptr) return refuse(key, "field '" + key.scalar + "' has no '" + needed + "'");
  }
  if (const auto sound = check_field(key, field); !sound) return std::unexpected(sound.error());
  return field;
}

Checked<std::vector<StateField>> read_fields(const Node& node) {
  std::vector<StateField> fields;
  for (const auto& [key, value] : node.entries) {
    auto field = read_field(key, value);
    if (!field) return std::unexpected(field.error());
    fields.push_back(std::move(*field));
  }
  return fields;
}

Checked<StateTopic> read_topic(const Node& root, const std::string& stem) {
  StateTopic topic;
  for (const auto& [key, value] : root.entries) {
    if (key.scalar == "topic") {
      topic.name = value.scalar;
      if (topic.name != stem) return refuse(value, "the topic's name must be the file's name, '" + stem + "'");
    } else if (key.scalar == "of") {
      if (value.scalar != "gpu" && value.scalar != "node") return refuse(value, "`of` is gpu or node");
      topic.of_node = value.scalar == "node";
    } else if (key.scalar == "doc") {
      topic.doc = value.scalar;
    } else if (key.scalar == "records") {
      for (const auto& [name, fields] : value.entries) {
        auto read = read_fields(fields);
        if (!read) return std::unexpected(read.error());
        topic.records.push_back({name.scalar, std::move(*read)});
      }
    } else if (key.scalar == "fields") {
      auto read = read_fields(value);
      if (!read) return std::unexpected(read.error());
      topic.fields = std::move(*read);
    } else {
      return refuse(key, "'" + key.scalar + "' is not a part of a topic; one of topic, of, doc, records, fields");
    }
  }
  for (const StateField& field : topic.fields) {
    if (!field.record.empty() && topic.record(field.record) == nullptr) {
      return refuse(
          root, "field '" + field.name + "' names the record '" + field.record + "', which this topic does not define");
    }
  }
  return topic;
}

}  // namespace

const StateField* StateTopic::find(const std::string& field) const {
  const auto found = std::ranges::find(fields, field, &StateField::name);
  return found == fields.end() ? nullptr : &*found;
}

const StateRecord* StateTopic::record(const std::string& wanted) const {
  const auto found = std::ranges::find(records, wanted, &StateRecord::name);
  return found == records.end() ? nullptr : &*found;
}

const StateTopic* Vocabulary::find(const std::string& topic) const {
  const auto found = std::ranges::find(topics, topic, &StateTopic::name);
  return found == topics.end() ? nullptr : &*found;
}

std::string pascal_case(const std::string& snake) {
  std::string result;
  bool upper = true;
  for (const char letter : snake) {
    if (letter == '_') {
      upper = true;
    } else {
      result += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(letter))) : letter;
      upper = false;
    }
  }
  return result;
}

std::string cpp_type(const StateTopic& topic, const StateField& field) {
  const std::string size = std::to_string(field.capacity);
  std::string record = pascal_case(topic.name) + "::" + pascal_case(field.record);
  switch (field.type) {
    case FieldType::u32:
    case FieldType::flag:
      return "Fact<std::uint32_t>";
    case FieldType::i32:
      return "Fact<std::int32_t>";
    case FieldType::u64:
      return "Fact<std::uint64_t>";
    case FieldType::text:
      return "Text<" + size + ">";
    case FieldType::bytes:
      return "Bytes<" + size + ">";
    case FieldType::record:
      return record;
    case FieldType::list_u16:
      return "List<std::uint16_t, " + size + ">";
    case FieldType::list_u32:
      return "List<std::uint32_t, " + size + ">";
    case FieldType::list_u64:
      return "List<std::uint64_t, " + size + ">";
    case FieldType::list_record:
      return "List<" + record + ", " + size + ">";
  }
  return {};
}

Checked<Vocabulary> load_vocabulary(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  if (failed) return std::unexpected(folder.string() + ": " + failed.message());
  std::ranges::sort(files);
  Vocabulary vocabulary;
  for (const auto& file : files) {
    auto root = yaml::parse_file(file);
    if (!root) return std::unexpected(root.error().text());
    auto topic = read_topic(*root, file.stem().string());
    if (!topic) return std::unexpected(topic.error());
    vocabulary.topics.push_back(std::move(*topic));
  }
  return vocabulary;
}

}  // namespace nvmlab::codegen
