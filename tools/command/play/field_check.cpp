// SPDX-License-Identifier: Apache-2.0
#include "command/play/field_check.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "command/machine/listing.hpp"
#include "compiler/values.hpp"

namespace nvmlab::tool {
namespace {

using compiler::FieldRef;
using compiler::Style;

constexpr std::size_t kLongestText = 160;  // of a list that is found

// Holds whatever a field can hold, and the difference of any two.
__extension__ using Exact = __int128;

template <class T>
std::optional<Exact> number_of_fact(const std::byte* at) {
  Fact<T> fact{};
  std::memcpy(&fact, at, sizeof fact);
  return fact.has_value() ? std::optional<Exact>(fact.value) : std::nullopt;
}

template <class T>
Exact number_of_item(const std::byte* at) {
  T number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

// Nothing where NVML gives a return code instead.
std::optional<Exact> number_of_field(const FieldRef& ref, const std::byte* at) {
  switch (ref.field->type) {
    case FieldType::u64:
      return number_of_fact<std::uint64_t>(at);
    case FieldType::i32:
      return number_of_fact<std::int32_t>(at);
    case FieldType::list_u16:
      return number_of_item<std::uint16_t>(at);
    case FieldType::list_u32:
      return number_of_item<std::uint32_t>(at);
    case FieldType::list_u64:
      return number_of_item<std::uint64_t>(at);
    default:
      return number_of_fact<std::uint32_t>(at);
  }
}

Exact exact(const compiler::Number& number) {
  return number.negative ? -Exact{number.magnitude} : Exact{number.magnitude};
}

std::string text_of_value(const yaml::Node& node) {
  if (node.is_null()) return "not supported";
  if (node.is_scalar()) return node.scalar;
  std::vector<std::string> parts;
  for (const yaml::Node& each : node.items)
    parts.push_back(text_of_value(each));
  for (const auto& [key, value] : node.entries)
    parts.push_back(fmt::format("{} {}", key.scalar, text_of_value(value)));
  const bool answer = node.is_mapping() && node.find("answer") != nullptr;
  return answer ? "answers " + node.find("answer")->scalar : fmt::format("[{}]", fmt::join(parts, ", "));
}

// What the value would be if it were as expected; a record keeps the members that nobody speaks of.
std::optional<std::string> expected_text(const FieldExpectation& expected, const std::byte* at) {
  const FieldRef& ref = expected.ref;
  const std::uint32_t size = ref.item ? compiler::item_size(*ref.field) : ref.field->size;
  std::vector<std::byte> wanted(at, at + size);
  compiler::Problems problems;
  const bool good = ref.item ? compiler::read_item(expected.wanted, *ref.field, ref.name, wanted.data(), problems)
                             : compiler::read_value(expected.wanted, *ref.field, ref.name, wanted.data(), problems);
  if (!good) return std::nullopt;
  return ref.item ? compiler::format_item(*ref.field, wanted.data(), Style::yaml)
                  : compiler::format_value(*ref.field, wanted.data(), Style::yaml);
}

std::string more_or_less(Exact by, const char* unit) {
  if (by == 0) return "as before";
  const auto magnitude = static_cast<std::uint64_t>(by < 0 ? -by : by);
  return fmt::format("{}{}{} {} than before", magnitude, *unit == '\0' ? "" : " ", unit, by < 0 ? "less" : "more");
}

class FieldCheck {
 public:
  FieldCheck(const FieldExpectation& expected, const std::byte* owner, const std::byte* before, std::string is)
      : expected_(expected), ref_(expected.ref), owner_(owner), before_(before), is_(std::move(is)) {}

  FieldFinding check() const {
    switch (expected_.relation) {
      case Relation::is:
      case Relation::is_not:
        return check_value();
      case Relation::changed_by:
        return check_change();
      default:
        return check_number();
    }
  }

 private:
  FieldFinding found(bool held, const std::string& wanted) const {
    std::string says = ref_.name + " " + is_;
    if (!held) says += fmt::format("; {} was expected", wanted);
    return {held, std::move(says)};
  }

  FieldFinding check_value() const {
    const auto actual = compiler::format_field(ref_, owner_, Style::yaml);
    const auto wanted_text = expected_text(expected_, owner_ + ref_.offset);
    const bool same = actual && wanted_text && *actual == *wanted_text;
    const std::string wanted = text_of_value(expected_.wanted);
    return expected_.relation == Relation::is ? found(same, wanted) : found(!same, "anything but " + wanted);
  }

  FieldFinding check_number() const {
    const auto number = number_of_field(ref_, owner_ + ref_.offset);
    const std::string wanted = text_of_value(expected_.wanted);
    const auto bits = static_cast<Exact>(expected_.bits);
    switch (expected_.relation) {
      case Relation::at_least:
        return found(number && *number >= exact(expected_.bound), "at least " + wanted);
      case Relation::at_most:
        return found(number && *number <= exact(expected_.bound), "at most " + wanted);
      case Relation::has:
        return found(number && (*number & bits) == bits, wanted);
      default:
        return found(number && (*number & bits) == 0, "without " + wanted);
    }
  }

  FieldFinding check_change() const {
    const auto now = number_of_field(ref_, owner_ + ref_.offset);
    const auto then = before_ == nullptr ? std::nullopt : number_of_field(ref_, before_ + ref_.offset);
    const std::string wanted = more_or_less(exact(expected_.bound), ref_.field->unit);
    if (!now || !then) return found(false, wanted);
    FieldFinding finding = found(*now - *then == exact(expected_.bound), wanted);
    const std::string before = ", " + more_or_less(*now - *then, ref_.field->unit);
    finding.says.insert(ref_.name.size() + 1 + is_.size(), before);
    return finding;
  }

  const FieldExpectation& expected_;
  const FieldRef& ref_;
  const std::byte* owner_;
  const std::byte* before_;
  std::string is_;  // "is 33 C"
};

}  // namespace

FieldFinding check_field(const FieldExpectation& expected, const std::byte* owner, const std::byte* before) {
  const auto people = compiler::format_field(expected.ref, owner, Style::people);
  if (!people) return {false, people.error()};  // an item that this GPU does not have
  std::string is = people->starts_with("answers ") ? *people : "is " + with_unit(expected.ref, *people);
  if (is.size() > kLongestText) is = is.substr(0, kLongestText) + "...";
  return FieldCheck(expected, owner, before, is).check();
}

}  // namespace nvmlab::tool
