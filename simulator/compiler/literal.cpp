// SPDX-License-Identifier: Apache-2.0
#include "compiler/literal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/nearest.hpp"
#include "compiler/values.hpp"
#include "compiler/values_raw.hpp"
#include "compiler/values_rules.hpp"
#include "compiler/values_store.hpp"

namespace nvmlab::compiler {
namespace {

std::string spelled(const Number& number) { return fmt::format("{}{}", number.negative ? "-" : "", number.magnitude); }

class LiteralStore {
 public:
  LiteralStore(const yaml::Place& place, Problems& problems) : place_(place), problems_(problems) {}

  bool value(const Literal& literal, const Field& field, std::string_view name, std::byte* at) {
    if (const auto* members = literal.get_if<LiteralRecord>(); members != nullptr && field.type == FieldType::record)
      return record(*members, *field.record, name, at);
    if (is_list(field.type)) return list(literal, field, name, at);
    if (const auto* code = literal.get_if<ErrorCode>()) return raw::set_error(field, at, code->value), true;
    const auto* text = literal.get_if<std::string>();
    if (text != nullptr && field.type == FieldType::text) return kept(store_text(*text, field, name, at));
    if (text != nullptr && field.type == FieldType::bytes) return kept(store_hex(*text, field, name, at));
    Number found;
    if (!number(literal, field, name, found)) return false;
    store_number(found, field, at);
    return true;
  }

 private:
  bool wrong(std::string message) {
    problems_.push_back(place_.error(std::move(message)));
    return false;
  }
  bool kept(std::expected<void, std::string> result) { return result.has_value() || wrong(std::move(result.error())); }

  // The number that a label or a number stands for, checked against type and range.
  bool number(const Literal& literal, const Field& field, std::string_view name, Number& found) {
    const bool numeric = field.type != FieldType::text && field.type != FieldType::bytes &&
                         field.type != FieldType::record && field.type != FieldType::list_record;
    if (const auto* given = literal.get_if<Number>(); given != nullptr && numeric) {
      found = *given;
      return kept(check_range(found, spelled(found), field, name));
    }
    if (const auto* label = literal.get_if<Label>(); label != nullptr && numeric)
      return meaning(*label, field, name, found);
    return wrong(fmt::format("{} takes {}", name, wanted(field)));
  }

  bool meaning(const Label& label, const Field& field, std::string_view name, Number& found) {
    for (std::uint32_t i = 0; i < field.label_count; ++i) {
      if (label.name != field.labels[i].name) continue;
      found = {false, field.labels[i].value};
      return true;
    }
    if (field.type == FieldType::flag && (label.name == "yes" || label.name == "no")) {
      found = {false, label.name == "yes" ? std::uint64_t{1} : 0};
      return true;
    }
    return wrong(fmt::format("{} is none of the labels of {}; {}", in_quotes(label.name), name,
                             hint(label.name, word_names(field), "they")));
  }

  bool record(const LiteralRecord& members, const RecordTable& table, std::string_view name, std::byte* at) {
    bool good = true;
    for (const auto& [key, literal] : members) {
      const Field* member = find_member(table, key);
      if (member == nullptr) {
        good = wrong(
            fmt::format("{} has no field {}; {}", name, in_quotes(key), hint(key, member_names(table), "its fields")));
        continue;
      }
      good = value(literal, *member, fmt::format("{}.{}", name, key), at + member->offset) && good;
    }
    return good;
  }

  bool list(const Literal& literal, const Field& field, std::string_view name, std::byte* at) {
    std::memset(at, 0, field.size);
    if (literal == Literal()) return true;
    const auto* items = literal.get_if<LiteralList>();
    if (items == nullptr) return wrong(fmt::format("{} takes {}", name, wanted(field)));
    bool good = true;
    const auto count = std::min<std::size_t>(items->size(), field.capacity);
    for (std::size_t i = 0; i < count; ++i)
      good = item((*items)[i], field, fmt::format("{}[{}]", name, i), at + kListHead + i * item_size(field)) && good;
    if (count < items->size()) {
      good = wrong(fmt::format("{} items are too many; {} takes at most {}", items->size(), name, field.capacity));
    }
    raw::store<std::uint32_t>(at, static_cast<std::uint32_t>(count));
    return good;
  }

  bool item(const Literal& literal, const Field& list, std::string_view name, std::byte* at) {
    if (list.type == FieldType::list_record) {
      const auto* members = literal.get_if<LiteralRecord>();
      return members != nullptr ? record(*members, *list.record, name, at)
                                : wrong(fmt::format("{} takes a mapping", name));
    }
    Number found;
    if (!number(literal, list, name, found)) return false;
    put_number(found, list.type, at);
    return true;
  }

  const yaml::Place& place_;
  Problems& problems_;
};

LiteralList listed(const auto& numbers) { return LiteralList(numbers.begin(), numbers.end()); }

}  // namespace

Literal::Literal(const std::vector<std::uint64_t>& numbers) : value_(listed(numbers)) {}
Literal::Literal(const std::vector<std::uint32_t>& numbers) : value_(listed(numbers)) {}

bool Literal::operator==(const Literal& other) const { return value_ == other.value_; }

bool store(const Literal& literal, const Field& field, std::string_view name, const yaml::Place& place, std::byte* at,
           Problems& problems) {
  return LiteralStore(place, problems).value(literal, field, name, at);
}

}  // namespace nvmlab::compiler
