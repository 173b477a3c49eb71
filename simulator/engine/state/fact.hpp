// SPDX-License-Identifier: Apache-2.0
//
// Fact: a value, or the return code that NVML gives in its place. Support, answers seen in a capture and injected
// errors are one mechanism, so getters hold no support logic.
//
// All-zero memory is a fact that NVML refuses with NVML_ERROR_NOT_SUPPORTED: the code is stored XORed with that code.
// A topic that no profile mentions therefore needs no initialisation, and its pages stay untouched.
//
// Everything here is trivially copyable and free of pointers, so that a snapshot is a copy and a mapped file can hold
// it; sizes are multiples of eight so that the store can copy it word by word. Tests: tests/unit/machine/fact_test.cpp.
#pragma once

#include <cstdint>

namespace nvmlab {

// The two codes of nvmlReturn_t that the state itself has to know.
inline constexpr std::uint32_t kSuccess = 0;       // NVML_SUCCESS
inline constexpr std::uint32_t kNotSupported = 3;  // NVML_ERROR_NOT_SUPPORTED

// No code of NVML's: the value moves, and what lies in its place says which of the moving values it is. See
// engine/topics/load/motion.hpp.
inline constexpr std::uint32_t kMoving = 0x4D4F5645;

template <class T>
struct alignas(8) Fact {
  T value;
  std::uint32_t stored_code;

  // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): it does not follow load(), word by word
  constexpr std::uint32_t code() const { return stored_code ^ kNotSupported; }
  constexpr bool has_value() const { return code() == kSuccess; }
  constexpr bool moves() const { return code() == kMoving; }
  constexpr T value_or(T other) const { return has_value() ? value : other; }

  constexpr void set(T new_value) {
    value = new_value;
    stored_code = kSuccess ^ kNotSupported;
  }
  constexpr void set_error(std::uint32_t return_code) {
    value = T{};
    stored_code = return_code ^ kNotSupported;
  }
};

// Text of at most N - 1 bytes, kept NUL-terminated.
template <std::uint32_t N>
struct alignas(8) Text {
  static_assert(N % 8 == 0, "the store copies whole words");
  static constexpr std::uint32_t capacity = N;
  std::uint32_t length;
  std::uint32_t stored_code;
  char data[N];

  // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): it does not follow load(), word by word
  constexpr std::uint32_t code() const { return stored_code ^ kNotSupported; }
  constexpr bool has_value() const { return code() == kSuccess; }

  // False, and nothing changed, when the text does not fit.
  constexpr bool set(const char* text, std::uint32_t size) {
    if (size >= N) return false;
    for (std::uint32_t i = 0; i < N; ++i)
      data[i] = i < size ? text[i] : '\0';
    length = size;
    stored_code = kSuccess ^ kNotSupported;
    return true;
  }
  constexpr void set_error(std::uint32_t return_code) {
    set("", 0);
    stored_code = return_code ^ kNotSupported;
  }
};

template <std::uint32_t N>
struct alignas(8) Bytes {
  static_assert(N % 8 == 0, "the store copies whole words");
  static constexpr std::uint32_t capacity = N;
  std::uint32_t reserved;
  std::uint32_t stored_code;
  std::uint8_t data[N];

  constexpr std::uint32_t code() const { return stored_code ^ kNotSupported; }
  constexpr bool has_value() const { return code() == kSuccess; }
  constexpr void set(const std::uint8_t (&bytes)[N]) {
    for (std::uint32_t i = 0; i < N; ++i)
      data[i] = bytes[i];
    stored_code = kSuccess ^ kNotSupported;
  }
  constexpr void set_error(std::uint32_t return_code) {
    for (std::uint8_t& byte : data)
      byte = 0;
    stored_code = return_code ^ kNotSupported;
  }
};

// A list of fixed capacity; an absent list is empty.
template <class T, std::uint32_t N>
struct alignas(8) List {
  static constexpr std::uint32_t capacity = N;
  using Item = T;
  std::uint32_t count;
  std::uint32_t reserved;
  T items[N];

  constexpr std::uint32_t size() const { return count < N ? count : N; }  // a damaged count never leads outside
  constexpr const T* begin() const { return items; }
  constexpr const T* end() const { return items + size(); }
  constexpr T* begin() { return items; }
  constexpr T* end() { return items + size(); }
  constexpr const T& operator[](std::uint32_t i) const { return items[i]; }
  constexpr T& operator[](std::uint32_t i) { return items[i]; }
};

}  // namespace nvmlab
