// SPDX-License-Identifier: Apache-2.0
//
// A state of its own whose pages come from the kernel as zeros when they are first touched: most of a GPU or node stays
// zero, and clearing all of it would cost a process that compiles more than compiling does. Tests:
// tests/unit/compiler/gpu_drafts_test.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "engine/store/system.hpp"

namespace nvmlab::compiler {

// Calls visit(offset of a word) for each word of eight bytes in which two states differ. Equal blocks are passed over.
template <class Visit>
void each_difference(const std::byte* one, const std::byte* other, std::size_t size, const Visit& visit) {
  constexpr std::size_t word = sizeof(std::uint64_t);
  constexpr std::size_t block = 64 * word;
  for (std::size_t begin = 0; begin < size; begin += block) {
    const std::size_t end = std::min(begin + block, size);
    if (std::memcmp(one + begin, other + begin, end - begin) == 0) continue;
    for (std::size_t at = begin; at < end; at += word) {
      if (std::memcmp(one + at, other + at, word) != 0) visit(at);
    }
  }
}

// Makes `to` like `from`, and touches no page of `to` that is so already.
template <class State>
void copy_differences(const State& from, State& to) {
  static_assert(std::is_trivially_copyable_v<State> && sizeof(State) % sizeof(std::uint64_t) == 0);
  const auto* const source = reinterpret_cast<const std::byte*>(&from);
  auto* const target = reinterpret_cast<std::byte*>(&to);
  each_difference(source, target, sizeof(State),
                  [&](std::size_t at) { std::memcpy(target + at, source + at, sizeof(std::uint64_t)); });
}

template <class State>
class Zeroed {
 public:
  Zeroed() : state_(static_cast<State*>(sys::map_private(sizeof(State)))) {
    if (state_ == nullptr) throw std::bad_alloc();
  }
  explicit Zeroed(const State& other) : Zeroed() { copy_differences(other, *state_); }
  Zeroed(Zeroed&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Zeroed& operator=(Zeroed&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Zeroed() { sys::unmap(state_, sizeof(State)); }

  State& operator*() const { return *state_; }
  State* operator->() const { return state_; }
  State* get() const { return state_; }

 private:
  State* state_;
};

}  // namespace nvmlab::compiler
