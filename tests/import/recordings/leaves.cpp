// SPDX-License-Identifier: Apache-2.0
#include "tests/import/recordings/leaves.hpp"

#include <fmt/format.h>

#include "compiler/values.hpp"
#include "engine/state/field.hpp"

namespace nvmlab::test {
namespace {

void put(Leaves& leaves, const std::string& name, const Field& field, const std::byte* at);

void put_record(Leaves& leaves, const std::string& name, const RecordTable& record, const std::byte* at) {
  for (std::uint32_t i = 0; i < record.field_count; ++i) {
    const Field& member = record.fields[i];
    put(leaves, fmt::format("{}.{}", name, member.name), member, at + member.offset);
  }
}

void put(Leaves& leaves, const std::string& name, const Field& field, const std::byte* at) {
  if (field.type == FieldType::record) return put_record(leaves, name, *field.record, at);
  if (field.type != FieldType::list_record) {
    auto value = compiler::format_value(field, at, compiler::Style::yaml);
    if (value != "null" && value != "[]") leaves.emplace(name, std::move(value));
    return;
  }
  const auto count = compiler::list_count(field, at);
  const Field* key = compiler::find_member(*field.record, "number");
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::byte* item = at + compiler::kListHead + std::size_t{i} * compiler::item_size(field);
    const auto place =
        key == nullptr ? std::to_string(i) : compiler::format_value(*key, item + key->offset, compiler::Style::yaml);
    put_record(leaves, fmt::format("{}[{}]", name, place), *field.record, item);
  }
  if (count > 0) leaves.emplace(name + ".length", std::to_string(count));
}

Leaves leaves_of(const std::byte* owner, bool of_node) {
  Leaves leaves;
  for (const Topic& topic : topics()) {
    if (topic.of_node == of_node) put_record(leaves, topic.table.name, topic.table, owner + topic.offset);
  }
  return leaves;
}

}  // namespace

Leaves leaves_of(const Node& node) { return leaves_of(reinterpret_cast<const std::byte*>(&node), true); }
Leaves leaves_of(const Gpu& gpu) { return leaves_of(reinterpret_cast<const std::byte*>(&gpu), false); }

std::string kind_of(std::string_view leaf) {
  std::string kind;
  bool inside = false;
  for (const char letter : leaf) {
    if (letter == ']') inside = false;
    if (!inside) kind += letter;
    if (letter == '[') inside = true;
  }
  return kind;
}

}  // namespace nvmlab::test
