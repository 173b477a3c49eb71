// SPDX-License-Identifier: Apache-2.0
// Entries that stand in for functions that list: each protocol as the drivers follow it, with a few patterned elements.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "nvmlab/nvml/index_set.hpp"
#include "tests/binding/all_methods/written.hpp"

namespace nvml::all_methods {

// How many elements a list has: few, or more than lie on the stack.
constexpr unsigned kFew = 3;
constexpr unsigned kMany = 1200;
inline unsigned list_length = kFew;

// What a function wrote last as a list.
template <class C>
struct Listed {
  static inline std::vector<C> now;
};

template <class C>
void write_elements(C* room, unsigned many) {
  for (unsigned i = 0; i < many; ++i)
    write_pattern(room + i, 17 + 50 * i);
}

// A list of list_length, by the letter of its protocol.
template <class C, class P>
abi::nvmlReturn_t played(char protocol, unsigned* count, P* where) {
  auto* const room = reinterpret_cast<C*>(where);
  if (count == nullptr) return abi::NVML_ERROR_INVALID_ARGUMENT;
  const unsigned offered = *count;
  const unsigned many = protocol == 'H' ? std::min(offered, list_length) : list_length;
  const auto told = [&](abi::nvmlReturn_t code) {
    *count = many;
    return code;
  };
  if (room == nullptr) {
    switch (protocol) {
      case 'B':
      case 'H':
        return abi::NVML_ERROR_INVALID_ARGUMENT;
      case 'F':
        return told(abi::NVML_ERROR_INSUFFICIENT_SIZE);
      case 'A':
        return offered == 0 ? told(abi::NVML_ERROR_INSUFFICIENT_SIZE) : abi::NVML_ERROR_INVALID_ARGUMENT;
      default:
        return told(abi::NVML_SUCCESS);
    }
  }
  if (protocol == 'E' && offered == 0) return abi::NVML_ERROR_INVALID_ARGUMENT;
  if ((protocol == 'C' || protocol == 'D') && offered == 0) return told(abi::NVML_SUCCESS);
  if (protocol == 'D') {
    write_elements(room, std::min(offered, many));
    return abi::NVML_SUCCESS;
  }
  const bool looks = protocol != 'G' && protocol != 'H';
  if (looks && offered < many && protocol == 'B') {
    ++seen.untold;
    return abi::NVML_ERROR_INSUFFICIENT_SIZE;
  }
  if (looks && offered < many) return told(abi::NVML_ERROR_INSUFFICIENT_SIZE);
  write_elements(room, many);
  return told(abi::NVML_SUCCESS);
}

template <class C, class P>
void keep_list(const unsigned* count, const P* where) {
  if (where == nullptr) return;
  ++seen.kept;
  const auto* const room = reinterpret_cast<const C*>(where);
  Listed<C>::now.assign(room, room + *count);
}

// Sets of CPUs: all words of them. Performance states: a few, and none behind them; their size is in bytes.
inline abi::nvmlReturn_t played_words(unsigned words, unsigned long* room) {
  write_elements(room, words);
  return abi::NVML_SUCCESS;
}
inline void keep_words(unsigned words, const unsigned long* room) { keep_list<unsigned long>(&words, room); }

inline abi::nvmlReturn_t played_states(unsigned bytes, abi::nvmlPstates_t* room) {
  const std::span states{room, bytes / sizeof *room};
  std::ranges::fill(states, abi::NVML_PSTATE_UNKNOWN);
  if (states.size() < kFew) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
  states[0] = seen.content == test::Content::zeros ? abi::NVML_PSTATE_1 : abi::NVML_PSTATE_0;
  states[1] = abi::NVML_PSTATE_2;
  states[2] = abi::NVML_PSTATE_8;
  return abi::NVML_SUCCESS;
}
inline void keep_states(unsigned bytes, const abi::nvmlPstates_t* room) {
  const std::span states{room, bytes / sizeof *room};
  const auto many = static_cast<unsigned>(std::ranges::find(states, abi::NVML_PSTATE_UNKNOWN) - states.begin());
  keep_list<abi::nvmlPstates_t>(&many, room);
}

// The typed elements, in memory of their own or of the caller's.
template <class C, class T>
bool same_list(const T& value) {
  const std::vector<C>& wanted = Listed<C>::now;
  if constexpr (std::is_same_v<T, IndexSet> || std::is_same_v<T, IndexView>) {
    return value == IndexView{wanted};
  } else {
    if (value.size() != wanted.size()) return false;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (!same(value[i], wanted[i])) return false;
    }
    return true;
  }
}

}  // namespace nvml::all_methods
