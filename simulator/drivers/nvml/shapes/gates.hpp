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
template <class Struct>
struct VersionCheck : Gate {
  VersionCheck(Struct* argument, std::uint32_t word) : to(argument), expected(word) {}
  Struct* to;
  std::uint32_t expected;

  nvmlReturn_t check() const {
    if (to == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    return to->version == expected ? NVML_SUCCESS : NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  }
  static nvmlReturn_t verdict(const Nothing&) { return NVML_SUCCESS; }
};
template <class Struct>
VersionCheck<Struct> versioned(Struct* to, std::uint32_t word) {
  return {to, word};
}

// The field has a value; else its code.
template <class Source>
struct Supported : Gate {
  explicit Supported(Source field) : source(field) {}
  Source source;

  using Value = typename Source::Value;
  template <class State>
  void fetch_into(Value& fact, const State& state) const {
    source.fetch_into(fact, state);
  }
  static nvmlReturn_t verdict(const Value& fact) { return static_cast<nvmlReturn_t>(fact.code()); }
};
template <class Source>
Supported<Source> supported(Source source) {
  return Supported<Source>(source);
}

// The same, and the value is not zero: a feature that is on.
template <class Source>
struct Enabled : Supported<Source> {
  Enabled(Source field, nvmlReturn_t code) : Supported<Source>(field), disabled(code) {}
  nvmlReturn_t disabled;
  nvmlReturn_t verdict(const typename Source::Value& fact) const {
    if (!fact.has_value()) return static_cast<nvmlReturn_t>(fact.code());
    return fact.value != 0 ? NVML_SUCCESS : disabled;
  }
};
template <class Source>
Enabled<Source> enabled(Source source, nvmlReturn_t disabled = NVML_ERROR_NOT_SUPPORTED) {
  return {source, disabled};
}

// The list has items; else a code.
template <class ListType>
struct HasItems : Gate {
  HasItems(At<ListType> field, nvmlReturn_t code) : at(field), empty(code) {}
  At<ListType> at;
  nvmlReturn_t empty;

  using Value = std::uint32_t;
  template <class State>
  void fetch_into(Value& count, const State& state) const {
    count = length_of(at.in(state));
  }
  nvmlReturn_t verdict(const Value& count) const { return count > 0 ? NVML_SUCCESS : empty; }
};
template <class ListType>
HasItems<ListType> has_items(At<ListType> at, nvmlReturn_t empty) {
  return {at, empty};
}

// Some item of the list has the field; else NOT_SUPPORTED.
template <class ListType, class FactType>
struct AnyItem : Gate {
  AnyItem(At<ListType> items, At<FactType> field) : list(items), at(field) {}
  At<ListType> list;
  At<FactType> at;

  using Value = bool;
  template <class State>
  void fetch_into(Value& found, const State& state) const {
    const ListType& items = list.in(state);
    found = false;
    for (std::uint32_t i = 0; i < length_of(items) && !found; ++i)
      found = at.fetch(items.items[i]).has_value();
  }
  static nvmlReturn_t verdict(const Value& found) { return found ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED; }
};
template <class ListType, class FactType>
AnyItem<ListType, FactType> any_item(At<ListType> list, At<FactType> at) {
  return {list, at};
}

// Something that was looked up beforehand and may not exist (shapes/choices.hpp).
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
