// SPDX-License-Identifier: Apache-2.0
// Methods that list: each hands over how its function takes (count, room), in the order of its own parameters or
// through a struct of its own, and gets the typed elements. Covered by tests/binding/lists_test.cpp.
#pragma once

#include <algorithm>
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

// `ask(function, count, room)` calls the C function once.
template <class T, class C, class F, class Ask>
Result<std::vector<T>> list(const Shared& library, F* Functions::*slot, const ListRule& rule, Ask&& ask) {
  return list_raw<C>(*library, slot, rule, ask, [&](std::span<const C> elements) {
    std::vector<T> typed;
    typed.reserve(elements.size());
    for (const C& element : elements)
      typed.push_back(made<T>(library, element));
    return typed;
  });
}

// Into the caller's room, of which the filled part comes back. Nothing is allocated and nothing converted; too little
// room is INSUFFICIENT_SIZE.
template <class C, class F, class Ask>
Result<std::span<C>> list_into(const State& state, F* Functions::*slot, const ListRule& rule, std::span<C> room,
                               Ask&& ask) {
  F* const function = state.functions.*slot;
  if (function == nullptr) return no_list(state, slot, abi::NVML_SUCCESS);
  auto once = [&](unsigned* count, void* where) { return ask(function, count, static_cast<C*>(where)); };
  unsigned count = 0;
  const auto capacity = static_cast<unsigned>(std::min<std::size_t>(room.size(), 0xFFFFFFFF));
  if (const abi::nvmlReturn_t code = ask_list_into(room.data(), capacity, count, rule, once); code != abi::NVML_SUCCESS)
    return no_list(state, slot, code);
  return room.first(count);
}

}  // namespace nvml::inline v1::detail
