// SPDX-License-Identifier: Apache-2.0
//
// What stands before the outputs of a function, in the order of the prologue: is the struct of a known version, has the
// board what is asked for, is an argument among those that there are, may the caller ask. Parts like outputs
// (shapes/outputs.hpp) that deliver nothing.
#pragma once

#include "drivers/nvml/shapes/sources.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {

struct Nothing {};

// What the gates have in common; most look at no state either.
struct Gate {
  using Value = Nothing;
  static nvmlReturn_t check() { return NVML_SUCCESS; }
  static bool wanted() { return false; }
  template <class State>
  void fetch_into(Nothing&, const State&) const {}
  template <class AnyValue>
  void deliver(const AnyValue&) const {}
};

// A struct whose first member says which layout the caller has.
template <class Struct, std::uint32_t Word>
struct VersionCheck : Gate {
  explicit VersionCheck(Struct* argument) : to(argument) {}
  Struct* to;

  nvmlReturn_t check() const {
    if (to == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    return to->version == Word ? NVML_SUCCESS : NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  }
  static nvmlReturn_t verdict(const Nothing&) { return NVML_SUCCESS; }
};
template <class Struct>
VersionCheck<Struct, version_of<Struct>> versioned(Struct* to) {
  return VersionCheck<Struct, version_of<Struct>>(to);
}
template <std::uint32_t Word, class Struct>
VersionCheck<Struct, Word> versioned(Struct* to) {
  return VersionCheck<Struct, Word>(to);
}

// The field has a value; else its code.
template <class Source>
struct Supported : Gate {
  explicit Supported(Source field) : source(field) {}
  [[no_unique_address]] Source source;

  using Value = typename Source::Value;
  template <class State>
  [[gnu::always_inline]] void fetch_into(Value& fact, const State& state) const {
    source.fetch_into(fact, state);
  }
  static nvmlReturn_t verdict(const Value& fact) { return static_cast<nvmlReturn_t>(fact.code()); }
};
template <class Source>
Supported<Source> supported(Source source) {
  return Supported<Source>(source);
}
template <auto First, auto... Path>
Supported<Field<First, Path...>> supported() {
  return Supported<Field<First, Path...>>({});
}

// The same, and the value is not zero: a feature that is on.
template <class Source, nvmlReturn_t Disabled>
struct Enabled : Supported<Source> {
  using Supported<Source>::Supported;
  nvmlReturn_t verdict(const typename Source::Value& fact) const {
    if (!fact.has_value()) return static_cast<nvmlReturn_t>(fact.code());
    return fact.value != 0 ? NVML_SUCCESS : Disabled;
  }
};
template <nvmlReturn_t Disabled = NVML_ERROR_NOT_SUPPORTED, class Source>
Enabled<Source, Disabled> enabled(Source source) {
  return Enabled<Source, Disabled>(source);
}

// The list has items; else a code.
template <class Place, nvmlReturn_t Empty>
struct HasItems : Gate {
  explicit HasItems(Place field) : at(field) {}
  [[no_unique_address]] Place at;

  using Value = std::uint32_t;
  template <class State>
  void fetch_into(Value& count, const State& state) const {
    count = length_of(at.in(state));
  }
  nvmlReturn_t verdict(const Value& count) const { return count > 0 ? NVML_SUCCESS : Empty; }
};
template <nvmlReturn_t Empty = NVML_ERROR_NOT_SUPPORTED, class Place>
HasItems<Place, Empty> has_items(Place at) {
  return HasItems<Place, Empty>(at);
}

// Some item of the list has the field; else NOT_SUPPORTED.
template <class Place, class FieldType>
struct AnyItem : Gate {
  AnyItem(Place items, FieldType field) : list(items), at(field) {}
  [[no_unique_address]] Place list;
  [[no_unique_address]] FieldType at;

  using Value = bool;
  template <class State>
  void fetch_into(Value& found, const State& state) const {
    const auto& items = list.in(state);
    found = false;
    for (std::uint32_t i = 0; i < length_of(items) && !found; ++i)
      found = at.fetch(items.items[i]).has_value();
  }
  static nvmlReturn_t verdict(const Value& found) { return found ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED; }
};
template <class Place, class FieldType>
AnyItem<Place, FieldType> any_item(Place list, FieldType at) {
  return {list, at};
}

// Something that was looked up beforehand and may not exist (choose(), shapes/fields.hpp).
struct Known : Gate {
  explicit Known(nvmlReturn_t answer) : code(answer) {}
  nvmlReturn_t code;
  nvmlReturn_t verdict(const Nothing&) const { return code; }
};
inline Known known(nvmlReturn_t code) { return Known(code); }

// The argument is one of these.
struct Allowed : Gate {
  explicit Allowed(bool found) : allowed(found) {}
  bool allowed;
  nvmlReturn_t verdict(const Nothing&) const { return allowed ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT; }
};
template <class Argument, class... Values>
Allowed one_of(Argument argument, Values... values) {
  return Allowed(((static_cast<long long>(argument) == static_cast<long long>(values)) || ...));
}

// The argument is below a number that depends on the driver.
inline Allowed below(std::uint32_t argument, std::uint32_t limit) { return Allowed(argument < limit); }

// Root alone may ask.
struct RootOnly : Gate {
  static nvmlReturn_t verdict(const Nothing&) { return may_administrate() ? NVML_SUCCESS : NVML_ERROR_NO_PERMISSION; }
};
inline RootOnly root_only() { return {}; }

// Those alone who may make instances of MIG, or look at them all.
inline bool may_view_mig() { return may(Role::mig_config) || may(Role::mig_monitor); }
struct MigViewersOnly : Gate {
  static nvmlReturn_t verdict(const Nothing&) { return may_view_mig() ? NVML_SUCCESS : NVML_ERROR_NO_PERMISSION; }
};
inline MigViewersOnly mig_viewers_only() { return {}; }

}  // namespace nvmlab::driver
