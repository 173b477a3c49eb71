// SPDX-License-Identifier: Apache-2.0
// One call through the table, and how typed arguments become C's. Generated methods are one line that calls one of the
// templates in this folder; a method that is not a number's getter does so in a .cpp file, so that only the short ones
// are compiled by everybody. Covered by tests/binding/methods_*_test.cpp.
#pragma once

#include <type_traits>
#include <utility>

#include "nvmlab/abi/generated/struct_versions.hpp"
#include "nvmlab/loader/state.hpp"
#include "nvmlab/nvml/convert.hpp"

namespace nvml::inline v1::detail {

// Why a call has no value, out of the way of those that have one.
template <class T, class... In>
[[gnu::cold, gnu::noinline]] Result<T> refusal(const State& state, std::size_t slot, abi::nvmlReturn_t code,
                                               const In&... in) {
  return unexpected(failure(state, slot, code, {in...}));
}

// Does the library not know this version (of the function, or of its struct), so that an older one is worth asking?
// Only then: any other answer, bad or good, would be the same from an older version, or be wrong.
constexpr bool knows_not(abi::nvmlReturn_t code) noexcept {
  return code == abi::NVML_ERROR_FUNCTION_NOT_FOUND || code == abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
}

// In place of the state, for a version that the library may not know: that error is kept short, since the answer of an
// older version takes its place. To name its device takes longer than many a call. Whoever has no other answer names
// it then.
struct Trial {
  const State& state;
  const Functions& functions;
  explicit Trial(const State& of) noexcept : state(of), functions(of.functions) {}
};

template <class T, class... In>
[[gnu::cold, gnu::noinline]] Result<T> refusal(const Trial& trial, std::size_t slot, abi::nvmlReturn_t code,
                                               const In&... in) {
  if (knows_not(code)) return Result<T>{unexpect, static_cast<Return>(code), Origin::driver, function_name(slot)};
  return refusal<T>(trial.state, slot, code, in...);
}

// As detail::call of loader/state.hpp, with the entry as an argument: one instance serves all functions of a signature.
// Answers what `value` says once the function has succeeded.
template <class T, class S, class F, class Value, class... In>
[[gnu::always_inline]] inline Result<T> ask_for(const S& state, F* Functions::*slot, Value&& value, const In&... in) {
  F* const function = state.functions.*slot;
  if (function == nullptr) [[unlikely]]
    return refusal<T>(state, slot_offset(slot), abi::NVML_SUCCESS);
  if (const abi::nvmlReturn_t code = function(in...); code != abi::NVML_SUCCESS) [[unlikely]]
    return refusal<T>(state, slot_offset(slot), code, in...);
  return value();
}

template <class F, class... In>
[[gnu::always_inline]] inline Result<void> ask(const State& state, F* Functions::*slot, const In&... in) {
  return ask_for<void>(
      state, slot, [] { return Result<void>{}; }, in...);
}

// A typed argument as the C type that the function takes.
template <class C, class T>
[[gnu::always_inline]] constexpr C as(const T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    return static_cast<C>(value);
  } else {
    C c{};
    to_c(value, c);
    return c;
  }
}

// What C wrote as a typed value.
template <class T, class C>
[[gnu::always_inline]] inline T typed_as(const C& c) {
  if constexpr (std::is_same_v<T, C>) {
    return c;
  } else if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(c);
  } else {
    T value{};
    from_c(c, value);
    return value;
  }
}

// A value of nothing yet. Not constexpr: GCC computes an expected of constants while it compiles, and then clears all
// of it, the room of an error too.
template <class T>
struct Blank {
  [[gnu::always_inline]] operator T() const {  // NOLINT(google-explicit-constructor): stands for the value
    return T{};
  }
};

// The same as a method's answer, filled where it lies: a copy of what was just written part by part makes the processor
// wait, for longer than many a call takes.
template <class T, class C>
[[gnu::always_inline]] inline Result<T> answer_of(const C& c) {
  Result<T> answer{std::in_place, Blank<T>{}};
  if constexpr (std::is_same_v<T, C> || std::is_arithmetic_v<T>) {
    *answer = typed_as<T>(c);
  } else {
    from_c(c, *answer);
  }
  return answer;
}

// The version word of a struct.
template <class C>
inline constexpr unsigned version_word = abi::version_of<C>;
template <>  // a plain number, by NVML's reference of GPM
inline constexpr unsigned version_word<abi::nvmlGpmSupport_t> = 1;
template <>
inline constexpr unsigned version_word<abi::nvmlGpmMetricsGet_t> = 1;

template <class C>
[[gnu::always_inline]] inline void fill_version(C& c) {
  if constexpr (requires { c.version; }) c.version = version_word<C>;
}

// A pointer to a layout of which the C function knows another name.
class AnyPointer {
 public:
  explicit AnyPointer(void* where) noexcept : where_(where) {}
  template <class P>
  operator P*() const noexcept {  // NOLINT(google-explicit-constructor): stands for the argument
    return static_cast<P*>(where_);
  }

 private:
  void* where_;
};

// A typed value behind a pointer, in the layout C, for the time of the call.
template <class C>
class Pointed {
 public:
  template <class T>
  explicit Pointed(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      c_ = static_cast<C>(value);
    } else {
      to_c(value, c_);
    }
    fill_version(c_);
  }
  template <class P>
  operator P*() const noexcept {  // NOLINT(google-explicit-constructor): stands for the argument
    return reinterpret_cast<P*>(&c_);
  }

 private:
  mutable C c_{};
};

}  // namespace nvml::inline v1::detail
