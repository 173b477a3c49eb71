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

std::string number_text(const Field& field, const std::byte* at) {
  if (field.type == FieldType::u64) return std::to_string(raw::load<std::uint64_t>(at));
  if (field.type == FieldType::i32) return std::to_string(raw::load<std::int32_t>(at));
  const auto value = raw::load<std::uint32_t>(at);
  for (std::uint32_t i = 0; i < field.label_count; ++i) {
    if (field.labels[i].value == value) return field.labels[i].name;
  }
  return std::to_string(value);
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

std::string text_of(const Field& field, const std::byte* at) {
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

}  // namespace

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
  const std::uint32_t code = raw::code(field, at);
  if (code == kNotSupported) return style == Style::yaml ? "null" : "not supported";
  if (code != kSuccess) {
    return style == Style::yaml ? fmt::format("{{answer: {}}}", return_code_name(code))
                                : "answers " + return_code_name(code);
  }
  switch (field.type) {
    case FieldType::text:
      return style == Style::yaml ? yaml_scalar(text_of(field, at)) : text_of(field, at);
    case FieldType::bytes:
      return format_hex_bytes(at + raw::kDataOffset, field.capacity);
    default:
      return style == Style::people && field.bit_count > 0 ? mask_text(field, at) : number_text(field, at);
  }
}

std::string format_item(const Field& list, const std::byte* at, Style) {
  switch (list.type) {
    case FieldType::list_u16:
      return std::to_string(raw::load<std::uint16_t>(at));
    case FieldType::list_u32:
      return std::to_string(raw::load<std::uint32_t>(at));
    case FieldType::list_u64:
      return std::to_string(raw::load<std::uint64_t>(at));
    default:
      return record_text(*list.record, at);
  }
}

}  // namespace nvmlab::compiler
