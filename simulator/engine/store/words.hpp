// SPDX-License-Identifier: Apache-2.0
//
// Copying state word by word with atomic accesses. A mapped store is read while others write it, so every access that
// may meet a writer goes through here; on x86-64 the loads and stores are ordinary instructions.
//
// Loads acquire and stores release: a reader that has seen a word of a copy that is being overwritten then also sees
// that the sequence moved on, without a fence (which thread sanitizer does not understand). See store.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace nvmlab {

typedef std::uint64_t AliasedWord __attribute__((may_alias));  // NOLINT(modernize-use-using): the attribute needs it

template <class T>
[[gnu::always_inline]] inline T load(const T& source) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 8 == 0 && alignof(T) % 8 == 0);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): the loop writes all of it, and zeros would cost time
  struct Words {
    std::uint64_t word[sizeof(T) / 8];
  } copy;
  const auto* from = reinterpret_cast<const AliasedWord*>(&source);
  for (std::uint64_t i = 0; i < sizeof(T) / 8; ++i)
    copy.word[i] = __atomic_load_n(from + i, __ATOMIC_ACQUIRE);
  return __builtin_bit_cast(T, copy);
}

template <class T>
inline void load_into(T& target, const T& source) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 8 == 0 && alignof(T) % 8 == 0);
  const auto* from = reinterpret_cast<const AliasedWord*>(&source);
  auto* to = reinterpret_cast<AliasedWord*>(&target);
  for (std::uint64_t i = 0; i < sizeof(T) / 8; ++i)
    to[i] = __atomic_load_n(from + i, __ATOMIC_ACQUIRE);
}

// Whether a word is what it was, of what was loaded before it: a comparison with memory, which compilers do not make of
// an atomic load.
[[gnu::always_inline]] inline bool is_still(const std::uint64_t& word, std::uint64_t before) {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
  bool same;  // NOLINT(cppcoreguidelines-init-variables): written below
  asm volatile("cmpq %2, %1" : "=@cce"(same) : "m"(word), "r"(before) : "memory");
  return same;
#else
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE) == before;
#endif
}

// How many items a list of the state has that lies in a mapped store; a damaged count never leads outside.
template <class List>
[[gnu::always_inline]] inline std::uint32_t length_of(const List& list) {
  const std::uint32_t count = __atomic_load_n(&list.count, __ATOMIC_ACQUIRE);
  return count < List::capacity ? count : List::capacity;
}

// Of a text only what is there: its length, its code and the words up to its NUL; the rest of `target` stays as it is.
// A length that is being overwritten, or damaged, leads no further than the text has room.
template <class Text>
[[gnu::always_inline]] inline void load_text(Text& target, const Text& source) {
  static_assert(offsetof(Text, data) == 8 && sizeof(Text) % 8 == 0 && alignof(Text) % 8 == 0);
  const auto* from = reinterpret_cast<const AliasedWord*>(&source);
  auto* to = reinterpret_cast<AliasedWord*>(&target);
  to[0] = __atomic_load_n(from, __ATOMIC_ACQUIRE);
  const std::uint32_t length = target.length < Text::capacity ? target.length : Text::capacity - 1;
  for (std::uint32_t i = 0; i <= length / 8; ++i)
    to[i + 1] = __atomic_load_n(from + i + 1, __ATOMIC_ACQUIRE);
}

// Writes only the words that differ: the pages of a topic that no profile mentions stay untouched and cost no memory.
template <class T>
inline void store(T& target, const T& source) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 8 == 0 && alignof(T) % 8 == 0);
  const auto* from = reinterpret_cast<const AliasedWord*>(&source);
  auto* to = reinterpret_cast<AliasedWord*>(&target);
  for (std::uint64_t i = 0; i < sizeof(T) / 8; ++i) {
    if (__atomic_load_n(to + i, __ATOMIC_RELAXED) != from[i]) __atomic_store_n(to + i, from[i], __ATOMIC_RELEASE);
  }
}

}  // namespace nvmlab
