// SPDX-License-Identifier: Apache-2.0
//
// Where a value that a function gives comes from: a field of the state as it is, with something in its place where it
// is absent, in other units, the length of a list, a rule of the engine over several fields. A source fetches from the
// state, which may be a Gpu, the Node or one item of a list, and gives a fact; shapes/outputs.hpp says where it goes.
#pragma once

#include <tuple>
#include <type_traits>

#include "drivers/nvml/shapes/fields.hpp"
#include "engine/topics/generated/derived_fields.hpp"

namespace nvmlab::driver {

// The field, or a value where it is absent, for whatever reason.
template <class Source, auto Other>
struct OrElse {
  using Value = typename Source::Value;
  [[no_unique_address]] Source at;
  template <class State>
  [[gnu::always_inline]] void fetch_into(Value& fact, const State& state) const {
    at.fetch_into(fact, state);
    if (!fact.has_value()) fact.set(static_cast<decltype(fact.value)>(Other));
  }
};
template <auto Other, class Source>
OrElse<Source, Other> or_else(Source at) {
  return {at};
}
template <auto... Path>
inline constexpr OrElse<Field<Path...>, 0> or_zero{};

// The same of texts and bytes: nothing but zeros.
template <class Source>
struct OrEmpty {
  using Value = typename Source::Value;
  [[no_unique_address]] Source at;
  template <class State>
  void fetch_into(Value& fact, const State& state) const {
    at.fetch_into(fact, state);
    if (fact.has_value()) return;
    fact = {};
    fact.stored_code = kSuccess ^ kNotSupported;
  }
};
template <auto... Path>
inline constexpr OrEmpty<Field<Path...>> or_empty{};

// The same with words of our own.
template <class Source>
struct OrText {
  using Value = typename Source::Value;
  [[no_unique_address]] Source at;
  const char* other;
  template <class State>
  void fetch_into(Value& fact, const State& state) const {
    at.fetch_into(fact, state);
    if (fact.has_value()) return;
    fact = {};
    fact.set(other, static_cast<std::uint32_t>(__builtin_strlen(other)));
  }
};
template <class Source>
OrText<Source> or_text(Source at, const char* other) {
  return {at, other};
}

// The field, or another one where it is absent.
template <class Source, class Other>
struct OrField {
  using Value = typename Source::Value;
  [[no_unique_address]] Source at;
  [[no_unique_address]] Other other;
  template <class State>
  [[gnu::always_inline]] void fetch_into(Value& fact, const State& state) const {
    at.fetch_into(fact, state);
    if (!fact.has_value()) other.fetch_into(fact, state);
  }
};
template <class Source, class Other>
OrField<Source, Other> or_field(Source at, Other other) {
  return {at, other};
}

// In smaller units than the field's.
template <class Source, std::uint64_t Factor>
struct Times {
  using Value = Fact<std::uint64_t>;
  [[no_unique_address]] Source source;
  template <class State>
  void fetch_into(Value& fact, const State& state) const {
    typename Source::Value own;
    source.fetch_into(own, state);
    fact = {own.moves() ? own.value | Factor << 32 : own.value * Factor, own.stored_code};
  }
};
template <std::uint64_t Factor, class Source>
Times<Source, Factor> times(Source source) {
  return {source};
}

// One bit of a mask.
template <class Source>
struct Bit {
  using Value = Fact<std::uint32_t>;
  [[no_unique_address]] Source source;
  std::uint32_t number;
  template <class State>
  void fetch_into(Value& fact, const State& state) const {
    typename Source::Value mask;
    source.fetch_into(mask, state);
    fact = {static_cast<std::uint32_t>(number < 64 ? std::uint64_t{mask.value} >> number & 1 : 0), mask.stored_code};
  }
};
template <class Source>
Bit<Source> bit(Source source, std::uint64_t number) {
  return {source, static_cast<std::uint32_t>(number)};
}

// Whether it has this value.
template <class Source, std::uint64_t Wanted>
struct Equals {
  using Value = Fact<std::uint32_t>;
  [[no_unique_address]] Source source;
  template <class State>
  void fetch_into(Value& fact, const State& state) const {
    typename Source::Value own;
    source.fetch_into(own, state);
    fact = {own.value == Wanted ? 1U : 0U, own.stored_code};
  }
};
template <std::uint64_t Wanted, class Source>
Equals<Source, Wanted> equals(Source source) {
  return {source};
}

// What is the same on every machine.
template <std::uint64_t Number>
struct Constant {
  using Value = Fact<std::uint64_t>;
  template <class State>
  void fetch_into(Value& fact, const State&) const {
    fact.set(Number);
  }
};
template <std::uint64_t Number>
inline constexpr Constant<Number> constant{};

// Machine time in microseconds.
struct Now {
  using Value = Fact<std::uint64_t>;
  std::uint64_t time_us;
  template <class State>
  void fetch_into(Value& fact, const State&) const {
    fact.set(time_us);
  }
};
inline Now clock_us() { return {current_time_us()}; }

// How many items a list has; `Empty` is the code in place of a zero.
template <class Place, nvmlReturn_t Empty>
struct Length {
  using Value = Fact<std::uint32_t>;
  [[no_unique_address]] Place at;
  template <class State>
  void fetch_into(Value& fact, const State& state) const {
    const std::uint32_t length = length_of(at.in(state));
    if (length == 0 && Empty != NVML_SUCCESS) {
      fact.set_error(Empty);
    } else {
      fact.set(length);
    }
  }
};
template <nvmlReturn_t Empty = NVML_SUCCESS, class Place>
Length<Place, Empty> length(Place at) {
  return {at};
}

// 1 where a list has items.
template <class Place>
struct NotEmpty {
  using Value = Fact<std::uint32_t>;
  [[no_unique_address]] Place at;
  template <class State>
  void fetch_into(Value& fact, const State& state) const {
    fact.set(length_of(at.in(state)) > 0 ? 1 : 0);
  }
};
template <class Place>
NotEmpty<Place> not_empty(Place at) {
  return {at};
}

// The item of a list of numbers.
struct Itself {
  using Value = Fact<std::uint64_t>;
  template <class Item>
  void fetch_into(Value& fact, const Item& item) const {
    fact.set(__atomic_load_n(&item, __ATOMIC_ACQUIRE));
  }
};
inline Itself itself() { return {}; }

// What a rule of the engine makes of some fields: a fact, a text, or a bare number.
template <auto Rule, class... Sources>
struct Derived {
  using Result = decltype(Rule(std::declval<typename Sources::Value>()...));
  using Value = std::conditional_t<std::is_arithmetic_v<Result>, Fact<std::uint64_t>, Result>;
  [[no_unique_address]] std::tuple<Sources...> sources;

  template <class State>
  [[gnu::always_inline]] void fetch_into(Value& value, const State& state) const {
    const auto apply = [&state](const Sources&... each) __attribute__((always_inline)) {
      return Rule(each.fetch(state)...);
    };
    if constexpr (std::is_arithmetic_v<Result>) {
      value.set(static_cast<std::uint64_t>(std::apply(apply, sources)));
    } else {
      value = std::apply(apply, sources);
    }
  }
};
template <auto Rule, class... Sources>
Derived<Rule, Sources...> derived(Sources... sources) {
  return {{sources...}};
}

}  // namespace nvmlab::driver
