// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/values.hpp"
#include "compiler/values_raw.hpp"
#include "import/smi/rules.hpp"
#include "import/write/profile_writer.hpp"

namespace nvmlab::importer {
namespace {

std::vector<std::int64_t> numbers_of(const Field& list, const std::byte* at) {
  std::vector<std::int64_t> numbers;
  const auto size = compiler::item_size(list);
  const auto count = compiler::list_count(list, at);
  numbers.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::byte* item = at + compiler::kListHead + std::size_t{i} * size;
    const std::uint64_t number = size == 2   ? compiler::raw::load<std::uint16_t>(item)
                                 : size == 4 ? compiler::raw::load<std::uint32_t>(item)
                                             : compiler::raw::load<std::uint64_t>(item);
    if (number > std::numeric_limits<std::int64_t>::max()) return {};
    numbers.push_back(static_cast<std::int64_t>(number));
  }
  return numbers;
}

// [1980, 1965, ..., 345] as {from: 1980, to: 345, step: 15}: runs of at least four.
std::string print_runs(const Field& list, const std::byte* at) {
  const auto numbers = numbers_of(list, at);
  if (numbers.empty()) return compiler::format_value(list, at, compiler::Style::yaml);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i + 1;
    const std::int64_t step = last < numbers.size() ? numbers[last] - numbers[i] : 0;
    while (step != 0 && last + 1 < numbers.size() && numbers[last + 1] - numbers[last] == step)
      ++last;
    constexpr std::size_t shortest = 4;
    if (step == 0 || last - i + 1 < shortest) {
      parts.push_back(std::to_string(numbers[i++]));
      continue;
    }
    parts.push_back(fmt::format("{{from: {}, to: {}, step: {}}}", numbers[i], numbers[last], step < 0 ? -step : step));
    i = last + 1;
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string print_members(const RecordTable& table, const std::byte* at);

// The value of a member; empty where absence says the same.
std::string print_member(const Field& member, const std::byte* at) {
  if (!compiler::is_list(member.type)) {
    std::string text = compiler::format_value(member, at, compiler::Style::yaml);
    return text == "null" ? std::string() : text;
  }
  const std::uint32_t count = compiler::list_count(member, at);
  if (count == 0) return {};
  if (member.type != FieldType::list_record) return print_runs(member, at);
  std::vector<std::string> items;
  items.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::byte* item = at + compiler::kListHead + std::size_t{i} * compiler::item_size(member);
    items.push_back(fmt::format("{{{}}}", print_members(*member.record, item)));
  }
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::string print_members(const RecordTable& table, const std::byte* at) {
  std::vector<std::string> parts;
  for (std::uint32_t i = 0; i < table.field_count; ++i) {
    const Field& member = table.fields[i];
    const std::string text = print_member(member, at + member.offset);
    if (!text.empty()) parts.push_back(fmt::format("{}: {}", member.name, text));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Records that are equal and stand together, once: [{repeat: 18, active: active}].
std::string print_records(const Field& list, const std::byte* at) {
  const auto size = compiler::item_size(list);
  const auto count = compiler::list_count(list, at);
  std::vector<std::string> rows;
  rows.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i)
    rows.push_back(print_members(*list.record, at + compiler::kListHead + std::size_t{i} * size));
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;
    while (end < rows.size() && rows[end] == rows[i])
      ++end;
    const std::string_view comma = rows[i].empty() ? "" : ", ";
    parts.push_back(end - i == 1 ? fmt::format("{{{}}}", rows[i])
                                 : fmt::format("{{repeat: {}{}{}}}", end - i, comma, rows[i]));
    i = end;
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

}  // namespace

std::string print_value(std::string_view name, const FieldValue& value) {
  constexpr std::uint64_t kMiB = 1 << 20;
  if (value.field().type == FieldType::list_record) return print_records(value.field(), value.bytes().data());
  const auto number = value.label().empty() ? value.number() : std::nullopt;
  if (number && in_hexadecimal(name)) return fmt::format("0x{:X}", *number);
  if (number && name.ends_with("_bytes") && *number >= kMiB && *number % kMiB == 0)
    return fmt::format("{} MiB", *number / kMiB);
  return value.yaml();
}

}  // namespace nvmlab::importer
