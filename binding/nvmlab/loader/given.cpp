// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/loader/given.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <utility>

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
    case RangeBy::count_of_all:
      if (!tells(state, range.asks, &count)) return std::nullopt;
      return below(count);
  }
  return std::nullopt;
}

std::string with_unit(std::int64_t number, const char* unit) {
  return std::to_string(number) + (*unit != '\0' ? " " : "") + unit;
}

std::string allowed(const Limits& limits, const char* unit) {
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
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(name.size() < names.size() ? name.size() + 1 : names.size());
    if (argument.device() != nullptr) device = argument.device();
    if (argument.is_number() && !name.empty()) {
      const Range* range = range_of(function, place);
      const char* const unit = range == nullptr ? "" : range->unit;
      text.append(text.empty() ? "" : "\n").append(name).append(" is ").append(with_unit(argument.number(), unit));
      if (range != nullptr) text += allowed(limits_of(state, *range, device), unit);
    }
    ++place;
  }
  return text;
}

}  // namespace nvml::inline v1::detail
