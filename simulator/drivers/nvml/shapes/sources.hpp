// SPDX-License-Identifier: Apache-2.0
//
// Where a value that a function gives comes from: a field of the state as it is, with something in its place where it
// is absent, in other units, the length of a list, a rule of the engine over several fields. A source fetches from the
// state, which may be a Gpu, the Node or one item of a list, and gives a fact; shapes/outputs.hpp says where it goes.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "drivers/nvml/process.hpp"
#include "engine/topics/generated/derived_fields.hpp"

namespace nvmlab::driver {

// Value and code of a fact that is one word, each by itself, which is shorter than taking the word apart. Like
// everything that is fetched, they belong together if nothing was published meanwhile.
template <class T>
[[gnu::always_inline]] inline Fact<T> load_fact(const Fact<T>& fact) {
  if constexpr (sizeof(Fact<T>) == 8) {
    return {__atomic_load_n(&fact.value, __ATOMIC_ACQUIRE), __atomic_load_n(&fact.stored_code, __ATOMIC_ACQUIRE)};
  } else {
    return load(fact);
  }
}
template <class Value>
[[gnu::always_inline]] inline Value load_fact(const Value& value) {
  return load(value);
}

template <class T>
inline constexpr bool is_text = false;
template <std::uint32_t N>
inline constexpr bool is_text<Text<N>> = true;

// A fact at a byte offset within Gpu, Node or a record; the generator has checked the type. One that follows from other
// fields of the GPU names the function that gives its value.
template <class FactType>
struct At {
  using Value = FactType;
  std::size_t offset = 0;
  FactType (*derived)(const Gpu& gpu) = nullptr;

  template <class State>
  const FactType& in(const State& state) const {
    return *reinterpret_cast<const FactType*>(reinterpret_cast<const unsigned char*>(&state) + offset);
  }
  template <class State>
  [[gnu::always_inline]] FactType fetch(const State& state) const {
    if constexpr (std::is_same_v<State, Gpu>) {
      if (derived != nullptr) return derived(state);
    }
    return load_fact(in(state));
  }
  // Into memory that nobody has written: of a text only what is there.
  template <class State>
  [[gnu::always_inline]] void fetch_into(FactType& fact, const State& state) const {
    if constexpr (is_text<FactType>) {
      load_text(fact, in(state));
    } else {
      fact = fetch(state);
    }
  }
};

// The field, or a value where it is absent, for whatever reason.
template <class FactType, class T>
struct OrElse {
  using Value = FactType;
  At<FactType> at;
  T other;
  template <class State>
  void fetch_into(FactType& fact, const State& state) const {
    at.fetch_into(fact, state);
    if (!fact.has_value()) fact.set(static_cast<decltype(fact.value)>(other));
  }
};
template <class FactType, class T>
OrElse<FactType, T> or_else(At<FactType> at, T other) {
  return {at, other};
}

// The same of texts and bytes: nothing but zeros.
template <class FactType>
struct OrEmpty {
  using Value = FactType;
  At<FactType> at;
  template <class State>
  void fetch_into(FactType& fact, const State& state) const {
    at.fetch_into(fact, state);
    if (fact.has_value()) return;
    fact = {};
    fact.stored_code = kSuccess ^ kNotSupported;
  }
};
template <class FactType>
OrEmpty<FactType> or_empty(At<FactType> at) {
  return {at};
}

// Likewise, words of our own.
template <class FactType>
struct OrText {
  using Value = FactType;
  At<FactType> at;
  const char* other;
  template <class State>
  void fetch_into(FactType& fact, const State& state) const {
    at.fetch_into(fact, state);
    if (fact.has_value()) return;
    fact = {};
    fact.set(other, static_cast<std::uint32_t>(__builtin_strlen(other)));
  }
};
template <class FactType>
OrText<FactType> or_text(At<FactType> at, const char* other) {
  return {at, other};
}

// The field, or another one where it is absent.
template <class FactType>
struct OrField {
  using Value = FactType;
  At<FactType> at;
  At<FactType> other;
  template <class State>
  void fetch_into(FactType& fact, const State& state) const {
    at.fetch_into(fact, state);
    if (!fact.has_value()) other.fetch_into(fact, state);
  }
};
template <class FactType>
OrField<FactType> or_field(At<FactType> at, At<FactType> other) {
  return {at, other};
}

// In smaller units than the field's.
template <class Source>
struct Times {
  using Value = Fact<std::uint64_t>;
  Source source;
  std::uint64_t factor;
  template <class State>
  void fetch_into(Value& fact, const State& state) const {
    typename Source::Value own;
    source.fetch_into(own, state);
    fact = {own.moves() ? own.value | factor << 32 : own.value * factor, own.stored_code};
  }
};
template <class Source>
Times<Source> times(Source source, std::uint64_t factor) {
  return {source, factor};
}

// One bit of a mask.
template <class Source>
struct Bit {
  using Value = Fact<std::uint32_t>;
  Source source;
  std::uint32_t number;
  template <class State>
  void fetch_into(Value& fact, const State& state) const {
    typename Source::Value mask;
    source.fetch_into(mask, state);
    fact = {static_cast<std::uint32_t>(number < 64 ? std::uint64_t{mask.value} >> number & 1 : 0), mask.stored_code};
  }
};
template <class Source>
Bit<Source> bit(Source source, std::uint32_t number) {
  return {source, number};
}

// Whether it has this value.
template <class Source>
struct Equals {
  using Value = Fact<std::uint32_t>;
  Source source;
  std::uint64_t wanted;
  template <class State>
  void fetch_into(Value& fact, const State& state) const {
    typename Source::Value own;
    source.fetch_into(own, state);
    fact = {own.value == wanted ? 1U : 0U, own.stored_code};
  }
};
template <class Source>
Equals<Source> equals(Source source, std::uint64_t wanted) {
  return {source, wanted};
}

// What is the same on every machine.
struct Constant {
  using Value = Fact<std::uint64_t>;
  std::uint64_t value;
  template <class State>
  void fetch_into(Value& fact, const State&) const {
    fact.set(value);
  }
};
inline Constant constant(std::uint64_t value) { return {value}; }

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

// How many items a list has; `empty` is the code in place of a zero.
template <class ListType>
struct Length {
  using Value = Fact<std::uint32_t>;
  At<ListType> at;
  nvmlReturn_t empty;
  template <class State>
  void fetch_into(Value& fact, const State& state) const {
    const std::uint32_t length = length_of(at.in(state));
    if (length == 0 && empty != NVML_SUCCESS) {
      fact.set_error(empty);
    } else {
      fact.set(length);
    }
  }
};
template <class ListType>
Length<ListType> length(At<ListType> at, nvmlReturn_t empty = NVML_SUCCESS) {
  return {at, empty};
}

// 1 where a list has items.
template <class ListType>
struct NotEmpty {
  using Value = Fact<std::uint32_t>;
  At<ListType> at;
  template <class State>
  void fetch_into(Value& fact, const State& state) const {
    fact.set(length_of(at.in(state)) > 0 ? 1 : 0);
  }
};
template <class ListType>
NotEmpty<ListType> not_empty(At<ListType> at) {
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
  std::tuple<Sources...> sources;

  template <class State>
  void fetch_into(Value& value, const State& state) const {
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
