// SPDX-License-Identifier: Apache-2.0
#include "import/evidence/observation.hpp"

#include <algorithm>
#include <utility>

#include "compiler/values.hpp"
#include "compiler/values_raw.hpp"

namespace nvmlab::importer {

FieldValue::FieldValue(const Field& field, std::vector<std::byte> bytes) : field_(&field), bytes_(std::move(bytes)) {
  if (compiler::is_list(field.type))
    bytes_.resize(compiler::kListHead + std::size_t{list_count()} * compiler::item_size(field));
  bytes_.shrink_to_fit();  // many machines have few links
}

std::uint32_t FieldValue::list_count() const {
  return compiler::is_list(field_->type) ? compiler::list_count(*field_, bytes_.data()) : 0;
}

std::uint32_t FieldValue::code() const {
  return compiler::is_list(field_->type) ? kSuccess : compiler::raw::code(*field_, bytes_.data());
}

bool FieldValue::unsupported() const { return code() == kNotSupported; }

std::optional<std::uint64_t> FieldValue::number() const {
  if (!has_value()) return std::nullopt;
  switch (field_->type) {
    case FieldType::u64:
      return compiler::raw::load<std::uint64_t>(bytes_.data());
    case FieldType::u32:
    case FieldType::flag:
      return compiler::raw::load<std::uint32_t>(bytes_.data());
    case FieldType::i32: {
      const auto number = compiler::raw::load<std::int32_t>(bytes_.data());
      return number < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(number));
    }
    default:
      return std::nullopt;
  }
}

std::string_view FieldValue::label() const {
  const auto value = field_->label_count == 0 ? std::nullopt : number();
  for (std::uint32_t i = 0; value && i < field_->label_count; ++i) {
    if (field_->labels[i].value == *value) return field_->labels[i].name;
  }
  return {};
}

std::string_view FieldValue::text() const {
  if (field_->type != FieldType::text || !has_value()) return {};
  const auto length = std::min(compiler::raw::load<std::uint32_t>(bytes_.data()), field_->capacity - 1);
  return {reinterpret_cast<const char*>(bytes_.data() + compiler::raw::kDataOffset), length};
}

std::string FieldValue::yaml() const { return compiler::format_value(*field_, bytes_.data(), compiler::Style::yaml); }

}  // namespace nvmlab::importer
