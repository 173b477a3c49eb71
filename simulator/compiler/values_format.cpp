// SPDX-License-Identifier: Apache-2.0
//
// The other half of values: bytes of a field as text. Tests: tests/unit/compiler/values_test.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/return_codes.hpp"
#include "compiler/texts.hpp"
#include "compiler/values.hpp"
#include "compiler/values_raw.hpp"

namespace nvmlab::compiler {
namespace {

Scalar number_of(const Field& field, const std::byte* at) {
  if (field.type == FieldType::u64) return raw::load<std::uint64_t>(at);
  if (field.type == FieldType::i32) return std::int64_t{raw::load<std::int32_t>(at)};
  const auto value = raw::load<std::uint32_t>(at);
  for (std::uint32_t i = 0; i < field.label_count; ++i) {
    if (field.labels[i].value == value) return Word{field.labels[i].name};
  }
  return std::uint64_t{value};
}

// Bits by their names, as they can be set again; a number where one has no name.
std::string mask_text(const Field& field, const std::byte* at) {
  const std::uint64_t value =
      field.type == FieldType::u64 ? raw::load<std::uint64_t>(at) : raw::load<std::uint32_t>(at);
  std::uint64_t rest = value;
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < field.bit_count; ++i) {
    if ((value & field.bits[i].value) == 0) continue;
    names.emplace_back(field.bits[i].name);
    rest &= ~std::uint64_t{field.bits[i].value};
  }
  if (value == 0 || rest != 0) return std::to_string(value);
  return names.size() == 1 ? names.front() : fmt::format("[{}]", fmt::join(names, ", "));
}

std::string text_in(const Field& field, const std::byte* at) {
  const std::uint32_t length = std::min(raw::load<std::uint32_t>(at), field.capacity - 1);
  return {reinterpret_cast<const char*>(at + raw::kDataOffset), length};
}

// Members that NVML does not support are left out: absence says the same.
std::string record_text(const RecordTable& table, const std::byte* at) {
  std::vector<std::string> parts;
  for (std::uint32_t i = 0; i < table.field_count; ++i) {
    const Field& member = table.fields[i];
    std::string text = format_value(member, at + member.offset, Style::yaml);
    if (text != "null" && text != "[]" && text != "{}") parts.push_back(fmt::format("{}: {}", member.name, text));
  }
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

std::string text_of(NoValue none, const Field&, Style style) {
  if (none.code == kNotSupported) return style == Style::yaml ? "null" : "not supported";
  const std::string code = return_code_name(none.code);
  return style == Style::yaml ? fmt::format("{{answer: {}}}", code) : "answers " + code;
}
std::string text_of(std::uint64_t number, const Field&, Style) { return std::to_string(number); }
std::string text_of(std::int64_t number, const Field&, Style) { return std::to_string(number); }
std::string text_of(Word word, const Field&, Style) { return std::string(word.name); }
std::string text_of(const std::string& text, const Field& field, Style style) {
  return style == Style::yaml && field.type == FieldType::text ? yaml_scalar(text) : text;
}

}  // namespace

Scalar scalar_of(const Field& field, const std::byte* at) {
  if (const Code code = raw::code(field, at); code != kSuccess) return NoValue{code};
  switch (field.type) {
    case FieldType::text:
      return text_in(field, at);
    case FieldType::bytes:
      return format_hex_bytes(at + raw::kDataOffset, field.capacity);
    default:
      return number_of(field, at);
  }
}

std::string format_value(const Field& field, const std::byte* at, Style style) {
  if (field.type == FieldType::record) return record_text(*field.record, at);
  if (is_list(field.type)) {
    std::vector<std::string> parts;
    const std::uint32_t count = list_count(field, at);
    for (std::uint32_t i = 0; i < count; ++i) {
      parts.push_back(format_item(field, at + kListHead + std::size_t{i} * item_size(field), style));
    }
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
  if (style == Style::people && field.bit_count > 0 && raw::code(field, at) == kSuccess) return mask_text(field, at);
  return std::visit([&](const auto& value) { return text_of(value, field, style); }, scalar_of(field, at));
}

std::uint64_t number_in(const Field& list, const std::byte* at) {
  if (list.type == FieldType::list_u16) return raw::load<std::uint16_t>(at);
  return list.type == FieldType::list_u32 ? raw::load<std::uint32_t>(at) : raw::load<std::uint64_t>(at);
}

std::string format_item(const Field& list, const std::byte* at, Style) {
  return list.type == FieldType::list_record ? record_text(*list.record, at) : std::to_string(number_in(list, at));
}

}  // namespace nvmlab::compiler
