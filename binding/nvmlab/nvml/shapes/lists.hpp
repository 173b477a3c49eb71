// SPDX-License-Identifier: Apache-2.0
// Methods that list: each hands over how its function takes (count, room), in the order of its own parameters or
// through a struct of its own, and gets the typed elements. Covered by tests/binding/lists_test.cpp.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "nvmlab/loader/state.hpp"
#include "nvmlab/nvml/shapes/made.hpp"
#include "nvmlab/nvml/shapes/raw_list.hpp"

namespace nvml::inline v1::detail {

// What a list function answered besides SUCCESS, or that it is not there.
template <class F>
[[gnu::cold]] unexpected<Error> no_list(const State& state, F* Functions::*slot, abi::nvmlReturn_t code) {
  return unexpected(failure(state, slot_offset(slot), code));
}

// The same of a form into the caller's room, and of how many elements it had to be where it was too small.
template <class F>
[[gnu::cold]] unexpected<Error> not_filled(const State& state, F* Functions::*slot, abi::nvmlReturn_t code,
                                           std::size_t offered, unsigned needed) {
  auto none = no_list(state, slot, code);
  if (code != abi::NVML_ERROR_INSUFFICIENT_SIZE) return none;
  return unexpected(none.error().with_shortage({static_cast<unsigned>(offered), needed}));
}

// Asks, and hands the elements as the driver wrote them to `use`.
template <class C, class F, class Ask, class Use>
auto list_raw(const State& state, F* Functions::*slot, const ListRule& rule, Ask&& ask, Use&& use)
    -> Result<std::invoke_result_t<Use&, std::span<const C>>> {
  F* const function = state.functions.*slot;
  if (function == nullptr) return no_list(state, slot, abi::NVML_SUCCESS);
  auto once = [&](unsigned* count, void* room) { return ask(function, count, static_cast<C*>(room)); };
  RawList list;
  if (const abi::nvmlReturn_t code = ask_list(list, rule, sizeof(C), once); code != abi::NVML_SUCCESS)
    return no_list(state, slot, code);
  return use(list.elements<C>());
}

// A type of its own: one instance of what takes it serves all lists of T and C.
template <class T>
struct Maker {
  const Shared& library;
  template <class C>
  T operator()(const C& c) const {
    return made<T>(library, c);
  }
};

// Whether a sanitizer looks after memory that a vector has reserved and does not use yet.
#if defined(_GLIBCXX_SANITIZE_VECTOR) || (defined(_LIBCPP_VERSION) && defined(__SANITIZE_ADDRESS__))
inline constexpr bool kSpareMemoryIsWatched = true;
#elif defined(_LIBCPP_VERSION) && defined(__has_feature)
inline constexpr bool kSpareMemoryIsWatched = __has_feature(address_sanitizer);
#else
inline constexpr bool kSpareMemoryIsWatched = false;
#endif

// A list that is too long for the stack lies at the end of what its vector has reserved. The first element becomes
// typed first, at the front: what is made never lies on one that is still to be read.
template <class T, class C>
void* at_end_of(void* answer, std::size_t elements) {
  constexpr std::size_t kWider = sizeof(T) < sizeof(C) ? sizeof(C) : sizeof(T);
  constexpr std::size_t kToAlign = alignof(T) < alignof(C) ? 1 : 0;  // an element's room
  auto& typed = *static_cast<std::vector<T>*>(answer);
  std::vector<T>{}.swap(typed);  // before more is taken
  typed.reserve(((elements + kToAlign) * kWider + sizeof(T) - 1) / sizeof(T));
  const std::size_t before = typed.capacity() * sizeof(T) - elements * sizeof(C);
  return reinterpret_cast<std::byte*>(typed.data()) + before / alignof(C) * alignof(C);
}

template <class T, class C>
RawList::Lender lender(std::vector<T>& answer) noexcept {
  static_assert(std::is_trivially_copyable_v<C> && alignof(C) <= alignof(std::max_align_t));
  if constexpr (kSpareMemoryIsWatched) return {};
  return {&answer, &at_end_of<T, C>};
}

// The elements of `list`, which lie in spare memory of `typed` or somewhere else.
template <class T, class C, class Make>
void become(std::vector<T>& typed, const RawList& list, Make&& make) {
  if constexpr (std::is_same_v<T, C>) {
    if (list.is_local()) return typed.assign(list.elements<C>().begin(), list.elements<C>().end());
  }
  typed.reserve(list.count);
  for (std::size_t i = 0; i < list.count; ++i) {
    C c;
    std::memcpy(&c, list.bytes() + i * sizeof c, sizeof c);
    typed.push_back(make(c));
  }
}

// `ask(function, count, room)` calls the C function once; `make` makes a T of each C. Nothing is allocated but what the
// answer keeps.
template <class T, class C, class F, class Ask, class Make>
Result<std::vector<T>> list_made(const State& state, F* Functions::*slot, const ListRule& rule, Ask&& ask,
                                 Make&& make) {
  Result<std::vector<T>> answer{std::in_place};
  F* const function = state.functions.*slot;
  auto once = [&](unsigned* count, void* room) { return ask(function, count, static_cast<C*>(room)); };
  RawList list{lender<T, C>(*answer)};
  const abi::nvmlReturn_t code = function == nullptr ? abi::NVML_SUCCESS : ask_list(list, rule, sizeof(C), once);
  if (function == nullptr || code != abi::NVML_SUCCESS) {
    answer = no_list(state, slot, code);
  } else {
    become<T, C>(*answer, list, make);
  }
  return answer;
}

template <class T, class C, class F, class Ask>
Result<std::vector<T>> list(const Shared& library, F* Functions::*slot, const ListRule& rule, Ask&& ask) {
  return list_made<T, C>(*library, slot, rule, ask, Maker<T>{library});
}

// Whether C's elements can lie in the room that the typed ones are made in.
template <class T, class C>
inline constexpr bool kInPlace = std::conjunction_v<std::is_trivially_copyable<T>, std::is_trivially_copyable<C>> &&
                                 sizeof(T) >= sizeof(C) && alignof(T) >= alignof(C);

// They lie at its front, and the last becomes typed first: what is made never lies on one that is still to be read.
// After an error the driver may have written there all the same, so that no element is what it was.
template <class T, class C, class Make>
abi::nvmlReturn_t filled_in_place(const ListRule& rule, std::span<T> room, unsigned capacity, unsigned& count,
                                  ListAsk once, Make&& make) {
  auto* const raw = reinterpret_cast<std::byte*>(room.data());
  const abi::nvmlReturn_t code = ask_list_into(raw, capacity, count, rule, once);
  if constexpr (!std::is_same_v<T, C> && !std::is_arithmetic_v<T>) {
    for (std::size_t i = 0; code != abi::NVML_SUCCESS && i < room.size(); ++i)
      std::construct_at(&room[i]);
    for (std::size_t i = code == abi::NVML_SUCCESS ? count : 0; i-- > 0;) {
      C c{};
      std::memcpy(&c, raw + i * sizeof c, sizeof c);
      std::construct_at(&room[i], make(c));
    }
  }
  return code;
}

// Hands what lies on the stack to `use`. A list that is too long for that is allocated.
template <class C, class Use>
abi::nvmlReturn_t by_way_of_stack(const ListRule& rule, unsigned capacity, unsigned& count, ListAsk once, Use&& use) {
  constexpr unsigned kShort = 4096 / sizeof(C);
  C some[kShort] = {};
  std::unique_ptr<C[]> many;
  const C* raw = some;
  abi::nvmlReturn_t code = ask_list_into(some, capacity < kShort ? capacity : kShort, count, rule, once);
  if (code == abi::NVML_ERROR_INSUFFICIENT_SIZE && capacity > kShort) {
    many = std::make_unique<C[]>(capacity);
    raw = many.get();
    code = ask_list_into(many.get(), capacity, count, rule, once);
  }
  if (code == abi::NVML_SUCCESS) use(std::span<const C>{raw, count});
  return code;
}

inline unsigned capacity_of(std::size_t size) { return static_cast<unsigned>(std::min<std::size_t>(size, 0xFFFFFFFF)); }

// `once(count, room)` calls the C function; `make` makes a T of each C.
template <class T, class C, class Make>
abi::nvmlReturn_t filled(const ListRule& rule, std::span<T> room, unsigned& count, ListAsk once, Make&& make) {
  const unsigned capacity = capacity_of(room.size());
  if constexpr (kInPlace<T, C>) {
    return filled_in_place<T, C>(rule, room, capacity, count, once, make);
  } else {
    // Objects, and elements that are smaller than C's.
    return by_way_of_stack<C>(rule, capacity, count, once, [&](std::span<const C> raw) {
      for (std::size_t i = 0; i < raw.size(); ++i)
        room[i] = make(raw[i]);
    });
  }
}

// Into the caller's room, of which the filled part comes back; too little room is INSUFFICIENT_SIZE.
template <class T, class C, class F, class Ask>
Result<std::span<T>> list_into(const Shared& library, F* Functions::*slot, const ListRule& rule, std::span<T> room,
                               Ask&& ask) {
  F* const function = library->functions.*slot;
  if (function == nullptr) return no_list(*library, slot, abi::NVML_SUCCESS);
  auto once = [&](unsigned* count, void* where) { return ask(function, count, static_cast<C*>(where)); };
  unsigned count = 0;
  const abi::nvmlReturn_t code = filled<T, C>(rule, room, count, once, Maker<T>{library});
  if (code != abi::NVML_SUCCESS) return not_filled(*library, slot, code, room.size(), count);
  return room.first(count);
}

}  // namespace nvml::inline v1::detail
