// SPDX-License-Identifier: Apache-2.0
//
// Parts (shapes/parts.hpp) that write a value into a member of a struct or into a text with its length. Generated
// exports name them.
#pragma once

#include <cstring>
#include <type_traits>

#include "drivers/nvml/shapes/parts.hpp"
#include "drivers/nvml/shapes/sources.hpp"
#include "engine/topics/pci/address_text.hpp"

namespace nvmlab::driver {

// A piece of a text, at any address. Whoever reads one looks afterwards whether somebody wrote meanwhile.
template <std::uint32_t Size>
[[gnu::always_inline]] inline void copy_piece(char* to, const char* from) {
#ifdef __SANITIZE_THREAD__  // it knows no such agreement
  for (std::uint32_t i = 0; i < Size; ++i)
    to[i] = __atomic_load_n(from + i, __ATOMIC_RELAXED);
#else
  using Piece [[gnu::vector_size(Size), gnu::aligned(1), gnu::may_alias]] = char;
  *reinterpret_cast<Piece*>(to) = *reinterpret_cast<const volatile Piece*>(from);
#endif
}

// `size` bytes, at least one, that others may write meanwhile. Of short copies of unknown length, memcpy would be the
// larger part of a call: what the compiler makes of it (a call, or string instructions) takes ten times as long. The
// last piece overlaps the one before it.
[[gnu::always_inline]] inline void copy_text(char* to, const char* from, std::uint32_t size) {
  if (size >= 16) [[likely]] {
    for (std::uint32_t at = 0; at + 16 < size; at += 16)
      copy_piece<16>(to + at, from + at);
    copy_piece<16>(to + size - 16, from + size - 16);
  } else if (size >= 8) {
    copy_piece<8>(to, from);
    copy_piece<8>(to + size - 8, from + size - 8);
  } else if (size >= 4) {
    copy_piece<4>(to, from);
    copy_piece<4>(to + size - 4, from + size - 4);
  } else {
    for (std::uint32_t at = 0; at < size; ++at)
      copy_piece<1>(to + at, from + at);
  }
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

// Cuts a text to a fixed array; the rest of the array becomes zero.
template <std::uint32_t N, class Char, std::size_t M>
void put_text(Char (&to)[M], const Text<N>& text) {
  static_assert(sizeof(Char) == 1);
  const std::size_t room = M - 1 < N - 1 ? M - 1 : N - 1;
  const std::size_t size = text.length < room ? text.length : room;
  std::memcpy(to, text.data, size);
  std::memset(to + size, 0, M - size);
}

template <class Member, class FactType>
void assign(Member& to, const FactType& fact) {
  to = static_cast<Member>(fact.value);
}
template <std::size_t M, std::uint32_t N>
void assign(char (&to)[M], const Text<N>& text) {
  put_text(to, text);
}
template <std::size_t M, std::uint32_t N>
void assign(unsigned char (&to)[M], const Text<N>& text) {
  put_text(to, text);
}
template <std::size_t M, std::uint32_t N>
void assign(unsigned char (&to)[M], const Bytes<N>& bytes) {
  static_assert(M <= N);
  std::memcpy(to, bytes.data, M);
}

template <std::size_t M>
void assign(char (&to)[M], const AddressText& text) {
  static_assert(M <= sizeof text.words);
  std::memcpy(to, text.words, M);
}

// A member of a struct, or of a struct within it: &nvmlUtilization_t::gpu, inside(&Status::histogram, &Histogram::max).
template <class Struct, class Outer, class Inner>
struct Inside {
  Outer Struct::*outer;
  Inner Outer::*inner;
  Inner& in(Struct& to) const { return to.*outer.*inner; }
};
template <class Struct, class Outer, class Inner>
constexpr Inside<Struct, Outer, Inner> inside(Outer Struct::*outer, Inner Outer::*inner) {
  return {outer, inner};
}
template <class Struct, class Member>
Member& member_in(Struct& to, Member Struct::*member) {
  return to.*member;
}
template <class Struct, class Outer, class Inner>
Inner& member_in(Struct& to, const Inside<Struct, Outer, Inner>& member) {
  return member.in(to);
}

// A member of a struct that the caller provides: `utilization->gpu`.
template <class Struct, auto Member, class Source>
struct MemberOutput {
  using Value = typename Source::Value;
  Struct* to;
  [[no_unique_address]] Source source;

  nvmlReturn_t check() const { return to == nullptr ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS; }
  bool wanted() const { return true; }
  template <class State>
  void fetch_into(Value& fact, const State& state) const {
    source.fetch_into(fact, state);
  }
  nvmlReturn_t verdict(const Value& fact) const { return static_cast<nvmlReturn_t>(fact.code()); }
  void deliver(const Value& fact) const { assign(member_in(*to, Member), fact); }
};

template <auto Member, class Struct, class Source>
MemberOutput<Struct, Member, Source> member(Struct* to, Source source) {
  return {to, source};
}
template <auto Member, auto First, auto... Path, class Struct>
MemberOutput<Struct, Member, Field<First, Path...>> member(Struct* to) {
  return {to, {}};
}

// What stands before the characters of a text.
struct TextHead {
  std::uint32_t length;
  std::uint32_t stored_code;
  std::uint32_t code() const { return stored_code ^ kNotSupported; }
  bool has_value() const { return code() == kSuccess; }
};

// `char* name, unsigned int length`: the whole text with its NUL, or INSUFFICIENT_SIZE and nothing.
template <class Source>
struct TextOutput {
  using Value = typename Source::Value;
  char* to;
  std::uint32_t size;
  [[no_unique_address]] Source source;

  nvmlReturn_t check() const { return to == nullptr ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS; }
  bool wanted() const { return true; }
  template <class State>
  void fetch_into(Value& text, const State& state) const {
    source.fetch_into(text, state);
  }
  template <class AnyText>
  nvmlReturn_t verdict(const AnyText& text) const {
    if (!text.has_value()) return static_cast<nvmlReturn_t>(text.code());
    return text.length < size && text.length < Value::capacity ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
  }
  void deliver(const Value& text) const { copy_text(to, text.data, text.length + 1); }
};

template <class Source>
TextOutput<Source> text(char* to, std::uint32_t size, Source source) {
  return {to, size, source};
}
template <auto First, auto... Path>
TextOutput<Field<First, Path...>> text(char* to, std::uint32_t size) {
  return {to, size, {}};
}

// The same, and `*size`, which is the size of the caller's array, becomes the length with its NUL.
template <class Source>
struct SizedText {
  using Value = typename Source::Value;
  char* to;
  unsigned int* size;
  [[no_unique_address]] Source source;

  template <class State>
  void fetch_into(Value& text, const State& state) const {
    source.fetch_into(text, state);
  }
  nvmlReturn_t verdict(const Value& text) const {
    const nvmlReturn_t code = TextOutput<Source>{to, *size, source}.verdict(text);
    if (code == NVML_ERROR_INSUFFICIENT_SIZE) *size = text.length + 1;
    return code;
  }
  void deliver(const Value& text) const {
    copy_text(to, text.data, text.length + 1);
    *size = text.length + 1;
  }
};
template <class Source>
SizedText<Source> sized_text(char* to, unsigned int* size, Source source) {
  return {to, size, source};
}
template <auto First, auto... Path>
SizedText<Field<First, Path...>> sized_text(char* to, unsigned int* size) {
  return {to, size, {}};
}

// A text in a struct that may be no longer than a length that the caller passes: INSUFFICIENT_SIZE and nothing for a
// longer one.
template <class Struct, auto Member, class Source>
struct MemberText : MemberOutput<Struct, Member, Source> {
  MemberText(Struct* argument, std::uint32_t length)
      : MemberOutput<Struct, Member, Source>{argument, {}}, size(length) {}
  using Value = typename Source::Value;
  std::uint32_t size;
  nvmlReturn_t verdict(const Value& text) const {
    if (!text.has_value()) return static_cast<nvmlReturn_t>(text.code());
    constexpr std::size_t capacity = sizeof(member_in(std::declval<Struct&>(), Member));
    return text.length < size && text.length < capacity ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
  }
};
template <auto Member, auto First, auto... Path, class Struct>
MemberText<Struct, Member, Field<First, Path...>> member_text(Struct* to, std::uint32_t size) {
  return {to, size};
}

// Members of a struct, each from a member of what a rule of the engine makes of some fields.
#define NVMLAB_RESULT(name) [](const auto& result) { return result.name; }
template <auto Member, class Pick>
struct Piece {
  [[no_unique_address]] Pick pick;
  template <class Struct, class Result>
  void put(Struct& to, const Result& result) const {
    auto& place = member_in(to, Member);
    place = static_cast<std::remove_reference_t<decltype(place)>>(pick(result));
  }
};
template <auto Member, class Pick>
Piece<Member, Pick> piece(Pick pick) {
  return {pick};
}

template <class... Sources>
std::tuple<Sources...> fields(Sources... sources) {
  return {sources...};
}

template <auto Rule, class Struct, class Fields, class... Pieces>
struct DerivedMembers;
template <auto Rule, class Struct, class... Sources, class... Pieces>
struct DerivedMembers<Rule, Struct, std::tuple<Sources...>, Pieces...> {
  using Value = decltype(Rule(std::declval<typename Sources::Value>()...));
  Struct* to;
  [[no_unique_address]] std::tuple<Sources...> sources;
  [[no_unique_address]] std::tuple<Pieces...> pieces;

  nvmlReturn_t check() const { return to == nullptr ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS; }
  bool wanted() const { return true; }
  template <class State>
  [[gnu::always_inline]] void fetch_into(Value& result, const State& state) const {
    result = std::apply(
        [&state](const Sources&... each) __attribute__((always_inline)) { return Rule(each.fetch(state)...); },
        sources);
  }
  nvmlReturn_t verdict(const Value&) const { return NVML_SUCCESS; }
  void deliver(const Value& result) const {
    std::apply([&](const Pieces&... each) { (each.put(*to, result), ...); }, pieces);
  }
};
template <auto Rule, class Struct, class Fields, class... Pieces>
DerivedMembers<Rule, Struct, Fields, Pieces...> derived_members(Struct* to, Fields from, Pieces... pieces) {
  return {to, from, {pieces...}};
}

}  // namespace nvmlab::driver
