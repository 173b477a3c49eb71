// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/loader/given.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "nvmlab/abi/generated/types.hpp"
#include "nvmlab/loader/advice.hpp"

namespace nvml::inline v1::detail {
namespace {

using Limits = std::optional<std::pair<std::int64_t, std::int64_t>>;

// One of the driver's functions that tell limits, as a function of this type.
template <class... P>
bool tells(const State& state, std::uint16_t function, P... arguments) {
  const auto asks = reinterpret_cast<abi::nvmlReturn_t (*)(P...)>(entry(state.functions, function));
  return asks != nullptr && asks(arguments...) == abi::NVML_SUCCESS;
}

template <class Number>
Limits between(const State& state, const Range& range, abi::nvmlDevice_t device) {
  Number least = 0;
  Number most = 0;
  if (device == nullptr || !tells(state, range.asks, device, &least, &most)) return std::nullopt;
  return std::pair<std::int64_t, std::int64_t>{least, most};
}

Limits below(std::int64_t count) { return std::pair<std::int64_t, std::int64_t>{0, count - 1}; }

// A field that counts, as NVML 11.0 and newer have it: an unsigned int.
bool counts(const State& state, std::uint16_t field, abi::nvmlDevice_t device, unsigned& count) {
  abi::nvmlFieldValue_t asked{};
  asked.fieldId = field;
  const auto ask = state.functions.nvmlDeviceGetFieldValues;
  if (ask == nullptr || device == nullptr || ask(device, 1, &asked) != abi::NVML_SUCCESS) return false;
  if (asked.nvmlReturn != abi::NVML_SUCCESS || asked.valueType != abi::NVML_VALUE_TYPE_UNSIGNED_INT) return false;
  count = asked.value.uiVal;
  return true;
}

Limits limits_of(const State& state, const Range& range, abi::nvmlDevice_t device) {
  unsigned count = 0;
  switch (range.by) {
    case RangeBy::limits:
      return between<unsigned>(state, range, device);
    case RangeBy::offset_limits:
      return between<int>(state, range, device);
    case RangeBy::count:
      if (device == nullptr || !tells(state, range.asks, device, &count)) return std::nullopt;
      return below(count);
    case RangeBy::field_count:
      if (!counts(state, range.asks, device, count)) return std::nullopt;
      return below(count);
    case RangeBy::listed:
      return std::nullopt;
    case RangeBy::count_of_all:
      if (!tells(state, range.asks, &count)) return std::nullopt;
      return below(count);
  }
  return std::nullopt;
}

// A number with a unit that may be none.
std::string with_unit(std::int64_t number, std::string_view unit) {
  return std::to_string(number).append(unit.empty() ? "" : " ").append(unit);
}

std::string allowed(const State& state, const Range& range, abi::nvmlDevice_t device, std::string_view unit) {
  if (range.by == RangeBy::listed) return std::string{"; "} + function_names[range.asks] + " lists what is allowed";
  const Limits limits = limits_of(state, range, device);
  if (!limits) return {};
  if (limits->second < limits->first) return "; there is none";
  return "; " + std::to_string(limits->first) + " to " + with_unit(limits->second, unit) + " are allowed";
}

const Range* range_of(std::size_t function, std::size_t argument) {
  for (const Range& range : std::span{ranges, range_count}) {
    if (range.function == function && range.argument == argument) return &range;
  }
  return nullptr;
}

}  // namespace

std::string what_was_given(const State& state, std::size_t function, Arguments arguments) {
  std::string_view names = function_facts[function].arguments;
  abi::nvmlDevice_t device = nullptr;
  std::string text;
  std::size_t place = 0;
  for (const Argument& argument : arguments) {
    const std::string_view whole = names.substr(0, names.find(','));
    names.remove_prefix(whole.size() < names.size() ? whole.size() + 1 : names.size());
    const std::string_view name = whole.substr(0, whole.find(':'));
    const std::string_view unit = whole.substr(std::min(name.size() + 1, whole.size()));
    if (argument.device() != nullptr) device = argument.device();
    if (argument.is_number() && !name.empty()) {
      text.append(text.empty() ? "" : "\n").append(name).append(" is ").append(with_unit(argument.number(), unit));
      if (const Range* range = range_of(function, place)) text += allowed(state, *range, device, unit);
    }
    ++place;
  }
  return text;
}

}  // namespace nvml::inline v1::detail
