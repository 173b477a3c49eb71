// SPDX-License-Identifier: Apache-2.0
//
// Where a value of the state goes: a scalar behind a pointer, a member of a struct, a text with its length. Each kind
// of output knows what makes its argument bad (`check`), what it takes from the state (`fetch`) and how to hand it over
// (`deliver`); shapes/read.hpp strings them together. Generated exports name them, hooks may use them as well.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "drivers/nvml/process.hpp"
#include "engine/topics/generated/derived_fields.hpp"

namespace nvmlab::driver {

// A fact at a byte offset within Gpu or Node; the generator has checked the type. One that follows from other fields
// names the function that gives its value.
template <class FactType>
struct At {
  std::size_t offset;
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
    return load(in(state));
  }
};

// A plain pointer: `unsigned int* power`.
template <class T, class FactType>
struct Scalar {
  T* to;
  At<FactType> at;
  bool optional;

  nvmlReturn_t check() const { return to == nullptr && !optional ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS; }
  bool wanted() const { return to != nullptr; }
  template <class State>
  FactType fetch(const State& state) const {
    return at.fetch(state);
  }
  nvmlReturn_t verdict(const FactType& fact) const {
    return to == nullptr ? NVML_SUCCESS : static_cast<nvmlReturn_t>(fact.code());
  }
  void deliver(const FactType& fact) const {
    if (to != nullptr) *to = static_cast<T>(fact.value);
  }
};

template <class T, class FactType>
Scalar<T, FactType> scalar(T* to, At<FactType> at) {
  return {to, at, false};
}
// The caller may leave it out: nvidia-smi asks for the current driver model without the pending one.
template <class T, class FactType>
Scalar<T, FactType> optional_scalar(T* to, At<FactType> at) {
  return {to, at, true};
}

// A member of a struct that the caller provides: `utilization->gpu`.
template <class Struct, class Member, class FactType>
struct MemberOutput {
  Struct* to;
  Member Struct::*member;
  At<FactType> at;

  nvmlReturn_t check() const { return to == nullptr ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS; }
  bool wanted() const { return true; }
  template <class State>
  FactType fetch(const State& state) const {
    return at.fetch(state);
  }
  nvmlReturn_t verdict(const FactType& fact) const { return static_cast<nvmlReturn_t>(fact.code()); }
  void deliver(const FactType& fact) const { to->*member = static_cast<Member>(fact.value); }
};

template <class Struct, class Member, class FactType>
MemberOutput<Struct, Member, FactType> member(Struct* to, Member Struct::*which, At<FactType> at) {
  return {to, which, at};
}

// `size` bytes from an array that has room for whole words. Of short copies of unknown length, memcpy would be the
// larger part of a call: what the compiler makes of it (a call, or string instructions) takes ten times as long.
[[gnu::always_inline]] inline void copy_text(char* to, const char* from, std::uint32_t size) {
  std::uint64_t word = 0;
  while (size >= 8) {
    std::memcpy(&word, from, 8);
    std::memcpy(to, &word, 8);
    from += 8;
    to += 8;
    size -= 8;
    __asm__("" : "+r"(from));  // else the compiler finds out that this is memcpy
  }
  if (size == 0) return;
  std::memcpy(&word, from, 8);
  if ((size & 4) != 0) {
    std::memcpy(to, &word, 4);
    to += 4;
    word >>= 32;
  }
  if ((size & 2) != 0) {
    std::memcpy(to, &word, 2);
    to += 2;
    word >>= 16;
  }
  if ((size & 1) != 0) std::memcpy(to, &word, 1);
}

// `char* name, unsigned int length`: the whole text with its NUL, or INSUFFICIENT_SIZE and nothing.
template <std::uint32_t N>
struct TextOutput {
  char* to;
  std::uint32_t size;
  At<Text<N>> at;

  nvmlReturn_t check() const { return to == nullptr ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS; }
  bool wanted() const { return true; }
  template <class State>
  Text<N> fetch(const State& state) const {
    return at.fetch(state);
  }
  nvmlReturn_t verdict(const Text<N>& text) const {
    if (!text.has_value()) return static_cast<nvmlReturn_t>(text.code());
    return text.length < size && text.length < N ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
  }
  void deliver(const Text<N>& text) const { copy_text(to, text.data, text.length + 1); }
};

// Into memory that nobody has written: of a text only what is there.
template <class Output, class State, class FactType>
[[gnu::always_inline]] inline void fetch_into(FactType& fact, const State& state, const Output& output) {
  fact = output.fetch(state);
}
template <std::uint32_t N, class State>
[[gnu::always_inline]] inline void fetch_into(Text<N>& fact, const State& state, const TextOutput<N>& output) {
  load_text(fact, output.at.in(state));
}

template <std::uint32_t N>
TextOutput<N> text(char* to, std::uint32_t size, At<Text<N>> at) {
  return {to, size, at};
}

// Not an output: a struct whose first member says which layout the caller has.
template <class Struct>
struct VersionCheck {
  Struct* to;
  std::uint32_t expected;
  struct Nothing {};

  bool wanted() const { return false; }
  nvmlReturn_t check() const {
    if (to == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    return to->version == expected ? NVML_SUCCESS : NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  }
  template <class State>
  Nothing fetch(const State&) const {
    return {};
  }
  nvmlReturn_t verdict(const Nothing&) const { return NVML_SUCCESS; }
  void deliver(const Nothing&) const {}
};

template <class Struct>
VersionCheck<Struct> versioned(Struct* to, std::uint32_t word) {
  return {to, word};
}

}  // namespace nvmlab::driver
