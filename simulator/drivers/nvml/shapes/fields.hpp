// SPDX-License-Identifier: Apache-2.0
//
// A field of the state: named by member pointers, or chosen by enumerators that the caller passes.
#pragma once

#include <cstddef>
#include <type_traits>

#include "drivers/nvml/process.hpp"
#include "engine/state/field_offset.hpp"

namespace nvmlab::driver {

// Loads the value and the code of a one-word fact separately, which takes fewer instructions than taking the word
// apart. They belong together if nothing was published meanwhile, like everything that is fetched.
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

// A field at a byte offset within Gpu, Node or a record. A field that follows from other fields of the GPU names the
// function that computes its value.
template <class FactType>
struct At {
  using Value = FactType;
  std::size_t offset = 0;
  FactType (*derived)(const Gpu& gpu) = nullptr;

  template <class State>
  [[gnu::always_inline]] const FactType& in(const State& state) const {
    return *reinterpret_cast<const FactType*>(reinterpret_cast<const unsigned char*>(&state) + offset);
  }
  template <class State>
  [[gnu::always_inline]] FactType fetch(const State& state) const {
    if constexpr (std::is_same_v<State, Gpu>) {
      if (derived != nullptr) return derived(state);
    }
    return load_fact(in(state));
  }
  // Writes memory that is not initialized: of a text only the characters that there are.
  template <class State>
  [[gnu::always_inline]] void fetch_into(FactType& fact, const State& state) const {
    if constexpr (is_text<FactType>) {
      load_text(fact, in(state));
    } else {
      fact = fetch(state);
    }
  }
};

// The place that member pointers lead to; the last argument of a derived field is its function.
template <class Struct, class FactType>
[[gnu::always_inline]] inline At<FactType> place(FactType Struct::*member,
                                                 FactType (*derived)(const Gpu& gpu) = nullptr) {
  // The representation of a member pointer is the offset; offsetof() takes no pointer.
  return {static_cast<std::size_t>(__builtin_bit_cast(std::ptrdiff_t, member)), derived};
}
template <class Struct, class Outer, class Inner, class... Deeper>
[[gnu::always_inline]] inline auto place(Outer Struct::*outer, Inner Outer::*inner, Deeper... deeper) {
  auto at = place(inner, deeper...);
  at.offset += place(outer).offset;
  return at;
}

// field<&Gpu::power, &Power::draw_mw>. It has no members, so a slow path takes parts that contain it in registers.
template <auto... Path>
struct Field {
  using Value = typename decltype(place(Path...))::Value;
  template <class State>
  [[gnu::always_inline]] static const Value& in(const State& state) {
    return place(Path...).in(state);
  }
  template <class State>
  [[gnu::always_inline]] static Value fetch(const State& state) {
    return place(Path...).fetch(state);
  }
  template <class State>
  [[gnu::always_inline]] static void fetch_into(Value& fact, const State& state) {
    place(Path...).fetch_into(fact, state);
  }
};
template <auto... Path>
inline constexpr Field<Path...> field{};

// The fields that a function reads for one choice of enumerators.
template <std::size_t Keys, std::size_t Fields>
struct Choice {
  long long keys[Keys];
  std::size_t at[Fields];  // byte offsets
};

// `code` is for known() (shapes/gates.hpp). If it is an error, the offsets are zero, which is some field.
template <std::size_t Fields>
struct Chosen {
  nvmlReturn_t code;
  std::size_t at[Fields];
};

template <std::size_t N, std::size_t Keys, std::size_t Fields, class... Arguments>
[[gnu::always_inline]] inline Chosen<Fields> choose(const Choice<Keys, Fields> (&choices)[N], nvmlReturn_t otherwise,
                                                    Arguments... arguments) {
  static_assert(sizeof...(Arguments) == Keys);
  const long long wanted[] = {static_cast<long long>(arguments)...};
  for (const Choice<Keys, Fields>& choice : choices) {
    bool same = true;
    for (std::size_t i = 0; i < Keys; ++i)
      same = same && choice.keys[i] == wanted[i];
    if (!same) continue;
    if (choice.at[0] == kNoField) return {NVML_ERROR_NOT_SUPPORTED, {}};
    Chosen<Fields> chosen{NVML_SUCCESS, {}};
    for (std::size_t i = 0; i < Fields; ++i)
      chosen.at[i] = choice.at[i];
    return chosen;
  }
  return {otherwise, {}};
}

}  // namespace nvmlab::driver
