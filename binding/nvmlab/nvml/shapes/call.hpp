// SPDX-License-Identifier: Apache-2.0
// One call through the table, and how typed arguments become C's. Generated methods are one line that calls one of the
// templates in this folder; a method that is not a number's getter does so in a .cpp file, so that only the short ones
// are compiled by everybody. Covered by tests/binding/methods_*_test.cpp.
#pragma once

#include <type_traits>

#include "nvmlab/abi/generated/struct_versions.hpp"
#include "nvmlab/loader/state.hpp"
#include "nvmlab/nvml/convert.hpp"

namespace nvml::inline v1::detail {

// As detail::call of loader/state.hpp, with the entry as an argument: one instance serves all functions of a signature.
template <class F, class... In>
[[gnu::always_inline]] inline Result<void> ask(const State& state, F* Functions::*slot, const In&... in) {
  F* const function = state.functions.*slot;
  if (function == nullptr) [[unlikely]]
    return unexpected(failure(state, slot_offset(slot), abi::NVML_SUCCESS));
  if (const abi::nvmlReturn_t code = function(in...); code != abi::NVML_SUCCESS) [[unlikely]]
    return unexpected(failure(state, slot_offset(slot), code, {in...}));
  return {};
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
