// SPDX-License-Identifier: Apache-2.0
// Methods that answer a text: written to the stack first, so that the string is allocated once if at all. A text ends
// at its first NUL, or where the room ends. Covered by tests/binding/methods_text_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "nvmlab/nvml/shapes/call.hpp"

namespace nvml::inline v1::detail {

inline std::string text_of(const char* room, std::size_t size) {
  const std::string_view all{room, size};
  return std::string{all.substr(0, all.find('\0'))};
}

// The length goes by value.
template <unsigned Size, class F, class... In>
Result<std::string> text(const State& state, F* Functions::*slot, const In&... in) {
  char room[Size] = {};
  if (const auto answer = ask(state, slot, in..., &room[0], Size); !answer) return unexpected(answer.error());
  return text_of(room, Size);
}

// The function knows how much it writes.
template <unsigned Size, class F, class... In>
Result<std::string> text_fixed(const State& state, F* Functions::*slot, const In&... in) {
  char room[Size] = {};
  if (const auto answer = ask(state, slot, in..., &room[0]); !answer) return unexpected(answer.error());
  return text_of(room, Size);
}

// The length goes both ways: what does not fit on the stack is asked for again.
template <unsigned Size, class F, class... In>
Result<std::string> text_sized(const State& state, F* Functions::*slot, const In&... in) {
  char room[Size] = {};
  unsigned size = Size;
  auto answer = ask(state, slot, in..., &room[0], &size);
  if (answer) return text_of(room, Size);
  if (static_cast<abi::nvmlReturn_t>(answer.error().code()) != abi::NVML_ERROR_INSUFFICIENT_SIZE || size <= Size)
    return unexpected(answer.error());
  std::string longer(size, '\0');
  answer = ask(state, slot, in..., longer.data(), &size);
  if (!answer) return unexpected(answer.error());
  longer.resize(std::string_view{longer}.substr(0, longer.find('\0')).size());
  return longer;
}

// The function answers a text of its own, which lasts as long as the library.
template <class... P, class... In>
Result<std::string_view> static_text(const State& state, const char* (*Functions::*slot)(P...), const In&... in) {
  const auto function = state.functions.*slot;
  if (function == nullptr) return unexpected(failure(state, slot_offset(slot), abi::NVML_SUCCESS));
  return std::string_view{function(in...)};
}

}  // namespace nvml::inline v1::detail
