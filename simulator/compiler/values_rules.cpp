// SPDX-License-Identifier: Apache-2.0
#include "compiler/values_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace nvmlab::compiler {

std::vector<std::string> word_names(const Field& field) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < field.label_count; ++i)
    names.emplace_back(field.labels[i].name);
  for (std::uint32_t i = 0; i < field.bit_count; ++i)
    names.emplace_back(field.bits[i].name);
  return names;
}

Bounds bounds_of(const Field& field) {
  Bounds bounds;
  switch (field.type) {
    case FieldType::i32:
      bounds = {true, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
      break;
    case FieldType::flag:
      bounds = {false, 0, 1};
      break;
    case FieldType::u64:
    case FieldType::list_u64:
      bounds = {false, 0, std::numeric_limits<std::uint64_t>::max()};
      break;
    case FieldType::list_u16:
      bounds = {false, 0, std::numeric_limits<std::uint16_t>::max()};
      break;
    default:
      bounds = {false, 0, std::numeric_limits<std::uint32_t>::max()};
  }
  if (field.ranged) {
    bounds.low = field.low;
    bounds.high = static_cast<std::uint64_t>(std::max<std::int64_t>(field.high, 0));
  }
  return bounds;
}

bool within(const Number& number, const Bounds& bounds) {
  if (!number.negative) {
    const bool above_low = bounds.low <= 0 || number.magnitude >= static_cast<std::uint64_t>(bounds.low);
    return above_low && number.magnitude <= bounds.high;
  }
  if (bounds.low >= 0) return false;
  return number.magnitude <= std::uint64_t{0} - static_cast<std::uint64_t>(bounds.low);
}

std::string wanted(const Field& field) {
  if (field.label_count > 0) return fmt::format("one of {}", fmt::join(word_names(field), ", "));
  if (field.bit_count > 0) return fmt::format("a number, or a list of {}", fmt::join(word_names(field), ", "));
  switch (field.type) {
    case FieldType::text:
      return fmt::format("a text of at most {} bytes", field.capacity - 1);
    case FieldType::bytes:
      return fmt::format("{} bytes in hexadecimal", field.capacity);
    case FieldType::flag:
      return "0 or 1";
    case FieldType::record:
      return "a mapping";
    case FieldType::list_record:
      return "a list of mappings";
    case FieldType::list_u16:
    case FieldType::list_u32:
    case FieldType::list_u64:
      return "a list of whole numbers";
    default:
      break;
  }
  const std::string unit = *field.unit == '\0' ? std::string() : fmt::format(" ({})", field.unit);
  return "a whole number" + unit;
}

}  // namespace nvmlab::compiler
