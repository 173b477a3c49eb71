// SPDX-License-Identifier: Apache-2.0
#include "import/replay/call_index.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"

namespace nvmlab::importer::replay {
namespace {

// An input by what it stands for: recordings and tables may have the name of an enumerator, or its number.
std::string canonical(std::string_view value) {
  if (whole_number(value)) return std::string(value);
  const auto known = recording::enumerator(value);
  return known ? std::to_string(*known) : std::string(value);
}

std::string canonical_of(const Json& value) {
  if (value.is_string()) return canonical(value.get_ref<const std::string&>());
  const auto whole = number(&value);
  return whole ? std::to_string(*whole) : std::string();
}

// The first of conditions that are apart by blanks, taken off.
std::string_view take_condition(std::string_view& when) {
  const auto end = std::min(when.find(' '), when.size());
  const auto condition = when.substr(0, end);
  when.remove_prefix(std::min(end + 1, when.size()));
  return condition;
}

std::string key_of(std::string_view function, std::string_view input, std::string_view value) {
  return fmt::format("{} {}={}", function, input, value);
}

}  // namespace

void CallIndex::add(const Call& call) {
  by_function_[call.function].push_back(&call);
  for (const auto& [name, value] : call.in.items())
    by_input_[key_of(call.function, name, canonical_of(value))].push_back(&call);
}

std::span<const Call* const> CallIndex::of(std::string_view function, std::string_view when) const {
  if (when.empty()) {
    const auto found = by_function_.find(function);
    return found == by_function_.end() ? std::span<const Call* const>() : found->second;
  }
  const auto condition = take_condition(when);
  const auto sign = condition.find('=');
  const auto found = by_input_.find(key_of(function, condition.substr(0, sign), canonical(condition.substr(sign + 1))));
  return found == by_input_.end() ? std::span<const Call* const>() : found->second;
}

const Call* CallIndex::good(std::string_view function, std::string_view when) const {
  for (const Call* call : of(function, when)) {
    if (call->succeeded() && matches(*call, when)) return call;
  }
  return nullptr;
}

const Call* CallIndex::find(std::string_view function, std::string_view when) const {
  if (const Call* call = good(function, when)) return call;
  for (const Call* call : of(function, when)) {
    if (matches(*call, when)) return call;
  }
  return nullptr;
}

const Call* CallIndex::field(std::string_view id, unsigned scope) const {
  return find("nvmlDeviceGetFieldValues", fmt::format("fieldId={} scopeId={}", id, scope));
}

bool matches(const Call& call, std::string_view when) {
  while (!when.empty()) {
    const auto condition = take_condition(when);
    const auto sign = condition.find('=');
    const Json* given = member(call.in, condition.substr(0, sign));
    if (given == nullptr || canonical_of(*given) != canonical(condition.substr(sign + 1))) return false;
  }
  return true;
}

const Json* member(const Json& object, std::string_view path) {
  const Json* at = &object;
  while (!path.empty()) {
    const auto dot = path.find('.');
    const auto name = path.substr(0, dot);
    path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
    if (at->is_object()) {
      const auto found = at->find(name);
      if (found == at->end()) return nullptr;
      at = &*found;
    } else if (const auto index = whole_number(name); at->is_array() && index && *index < at->size()) {
      at = &(*at)[*index];
    } else {
      return nullptr;
    }
  }
  return at;
}

std::optional<std::uint64_t> number(const Json* value) {
  if (value == nullptr) return std::nullopt;
  if (value->is_number_unsigned()) return value->get<std::uint64_t>();
  if (value->is_boolean()) return value->get<bool>() ? 1 : 0;
  if (value->is_number_float()) {
    constexpr double most = 18446744073709549568.0;  // the highest double below 2^64
    const double rounded = std::round(value->get<double>());
    if (rounded >= 0 && rounded <= most) return static_cast<std::uint64_t>(rounded);
    return std::nullopt;
  }
  const auto known = recording::integer(*value);
  if (!known || *known < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*known);
}

std::optional<std::uint64_t> number(const Call& call, std::string_view output) {
  return number(member(call.out, output));
}

const Json& list(const Call* call, std::string_view output) {
  static const Json none = Json::array();
  const Json* found = call == nullptr ? nullptr : member(call->out, output);
  return found != nullptr && found->is_array() ? *found : none;
}

std::vector<unsigned> bytes_of(const Json* value) {
  std::vector<unsigned> bytes;
  if (value == nullptr || !value->is_string()) return bytes;
  const auto& hex = value->get_ref<const std::string&>();
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned byte = 0;
    const auto [at, error] = std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
    if (error != std::errc() || at != hex.data() + i + 2) return {};
    bytes.push_back(byte);
  }
  return bytes;
}

bool says_items(const Call* call, std::string_view output) {
  if (call == nullptr) return false;
  if (!call->succeeded()) return call->code == "NOT_SUPPORTED";
  const Json* found = member(call->out, output);
  return found != nullptr && found->is_array();
}

}  // namespace nvmlab::importer::replay
