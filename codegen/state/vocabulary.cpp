// SPDX-License-Identifier: Apache-2.0
#include "codegen/state/vocabulary.hpp"

#include <algorithm>
#include <cctype>

namespace nvmlab::codegen {

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

}  // namespace nvmlab::codegen
