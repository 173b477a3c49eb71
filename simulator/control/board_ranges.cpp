// SPDX-License-Identifier: Apache-2.0
#include "control/board_ranges.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

#include "engine/state/fact.hpp"

namespace nvmlab::control {
namespace {

using compiler::FieldRef;

template <class T>
std::optional<std::int64_t> number_in(const std::byte* at) {
  Fact<T> fact{};
  std::memcpy(&fact, at, sizeof fact);
  if (!fact.has_value()) return std::nullopt;
  return static_cast<std::int64_t>(fact.value);
}

std::optional<std::int64_t> number_of(const FieldRef& ref, const std::byte* owner) {
  switch (ref.field->type) {
    case FieldType::u32:
      return number_in<std::uint32_t>(owner + ref.offset);
    case FieldType::i32:
      return number_in<std::int32_t>(owner + ref.offset);
    case FieldType::u64:
      return number_in<std::uint64_t>(owner + ref.offset);
    default:
      return std::nullopt;
  }
}

// One end: a number, or the field that holds it. An end that the board does not report does not limit the setting.
std::optional<std::int64_t> end_of(const FieldRef& ref, const std::string& end, const std::byte* owner) {
  std::int64_t number = 0;
  if (std::from_chars(end.data(), end.data() + end.size(), number).ec == std::errc{}) return number;
  const auto field = compiler::find_field(path_beside(ref, end));
  return field ? number_of(*field, owner) : std::nullopt;
}

std::string range_text(std::optional<std::int64_t> lowest, std::optional<std::int64_t> highest) {
  if (lowest && highest) return fmt::format("{} to {}", *lowest, *highest);
  return lowest ? fmt::format("at least {}", *lowest) : fmt::format("at most {}", *highest);
}

}  // namespace

std::string path_beside(const FieldRef& ref, const std::string& name) {
  return name.find('.') != std::string::npos ? name : ref.name.substr(0, ref.name.rfind('.') + 1) + name;
}

std::optional<std::string> outside_board_range(const FieldRef& ref, const std::byte* owner) {
  if (ref.item || *ref.field->lowest == '\0') return std::nullopt;
  const auto number = number_of(ref, owner);
  const auto lowest = end_of(ref, ref.field->lowest, owner);
  const auto highest = end_of(ref, ref.field->highest, owner);
  if (!number || ((!lowest || *number >= *lowest) && (!highest || *number <= *highest))) return std::nullopt;
  const std::string unit = *ref.field->unit == '\0' ? "" : fmt::format(" {}", ref.field->unit);
  return fmt::format("{0}{1} is out of range; {2} takes {3}{1} on this board, and --force pins any value", *number,
                     unit, ref.name, range_text(lowest, highest));
}

}  // namespace nvmlab::control
