// SPDX-License-Identifier: Apache-2.0
//
// What generated/resets.cpp says of single fields. What a board does not have, no reset gives it.
#pragma once

#include "engine/state/fact.hpp"

namespace nvmlab {

template <class T>
constexpr void restore(Fact<T>& setting, const Fact<T>& to) {
  if (setting.has_value() && to.has_value()) setting = to;
}

template <class T>
constexpr void restore(Fact<T>& setting, long long to) {
  if (setting.has_value()) setting.set(static_cast<T>(to));
}

// A number that nobody has set is not supported; a text becomes empty.
template <class T>
constexpr void forget(Fact<T>& setting) {
  setting.set_error(kNotSupported);
}

template <std::uint32_t N>
constexpr void forget(Text<N>& setting) {
  if (setting.has_value()) setting.set("", 0);
}

template <class T, std::uint32_t N>
constexpr void empty(List<T, N>& list) {
  list = {};
}

template <class T>
constexpr void clear(Fact<T>& counter) {
  if (counter.has_value()) counter.set(0);
}

template <class T, std::uint32_t N>
constexpr void clear(List<T, N>& counter) {
  counter = {};
}

}  // namespace nvmlab
