// SPDX-License-Identifier: Apache-2.0
// Methods that answer a struct. Covered by tests/binding/methods_record_test.cpp.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include "nvmlab/nvml/shapes/call.hpp"
#include "nvmlab/nvml/shapes/families.hpp"

namespace nvml::inline v1::detail {

// Stands among the arguments where the function takes the struct.
struct Here {};
inline constexpr Here here{};

template <class In, class Pointer>
[[gnu::always_inline]] inline const auto& place(const In& in, const Pointer& pointer) {
  if constexpr (std::is_same_v<In, Here>) {
    return pointer;
  } else {
    return in;
  }
}

// In the layout C, with its version word where it has one.
template <class T, class C, class S, class F, class... In>
[[gnu::always_inline]] inline Result<T> record_as(const S& state, F* Functions::*slot, const In&... in) {
  C c{};
  fill_version(c);
  const AnyPointer pointer{&c};
  return ask_for<T>(
      state, slot, [&] { return answer_of<T>(c); }, place(in, pointer)...);
}

// In the layout that an old function's struct had in its time. Today's header gives the function a larger struct of the
// same name, so there is room for that, should a library write it.
template <class T, class C, class Today, class F, class... In>
Result<T> record_of_old(const State& state, F* Functions::*slot, const In&... in) {
  static_assert(std::is_trivially_copyable_v<C> && std::is_trivially_copyable_v<Today>);
  constexpr std::size_t kSize = sizeof(Today) < sizeof(C) ? sizeof(C) : sizeof(Today);
  alignas(C) alignas(Today) std::byte room[kSize] = {};
  const AnyPointer pointer{&room};
  return ask_for<T>(
      state, slot, [&] { return answer_of<T>(*std::launder(reinterpret_cast<const C*>(&room))); },
      place(in, pointer)...);
}

inline Trial tried(const State& state) noexcept { return Trial{state}; }
inline Trial tried(const Trial& trial) noexcept { return trial; }

// The device of an error that was kept short.
[[gnu::cold]] inline void name_device(const State& state, Error& error, Arguments arguments) {
  for (const Argument& argument : arguments)
    error = about(state, argument.device(), error);
}
inline void name_device(const Trial& /*named by who tries*/, Error& /*error*/, Arguments /*arguments*/) {}

// In the only layout.
template <class T, class C, class S, class F, class... In>
[[gnu::always_inline]] inline Result<T> record(const S& state, F* Functions::*slot, const In&... in) {
  return record_as<T, C>(state, slot, in...);
}

// In the newest of the layouts, given newest first, that the library knows: it tells by its answer to the version word.
// GCC makes the answer where the caller wants it because it is declared in the outermost block.
template <class T, class C, class Older, class... Oldest, class S, class F, class... In>
[[gnu::always_inline]] inline Result<T> record(const S& state, F* Functions::*slot, const In&... in) {
  const Trial trial = tried(state);
  Result<T> answer = newest([&] { return record_as<T, C>(trial, slot, in...); },
                            [&] { return record_as<T, Older>(trial, slot, in...); },
                            [&] { return record_as<T, Oldest>(trial, slot, in...); }...);
  if (!answer.has_value()) [[unlikely]]
    name_device(state, answer.error(), {in...});
  return answer;
}

// The only member of a struct.
template <class M, class T>
Result<M> sole(M T::*member, Result<T>&& value) {
  if (!value) return unexpected(std::move(value.error()));
  return std::move((*value).*member);
}

}  // namespace nvml::inline v1::detail
