// SPDX-License-Identifier: Apache-2.0
// Any NVML library, opened by path or found as programs find it: functions by name, called with machine words.
#pragma once

#include <cstdint>
#include <expected>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>

namespace nvmlab::suite {

using Word = std::uintptr_t;

inline constexpr int kSuccess = 0;
inline constexpr int kMissing = -1;  // the library has no such function

class Library {
 public:
  static std::expected<Library, std::string> open(const std::string& path);

  void* address(const std::string& name) const;  // null: it has no such function
  int call_words(const std::string& name, std::span<const Word> words) const;

  // call("nvmlDeviceGetIndex", device, &index): integers and pointers.
  template <class... Arguments>
  int call(const std::string& name, Arguments... arguments) const {
    const Word words[] = {to_word(arguments)..., 0};
    return call_words(name, std::span<const Word>(words, sizeof...(arguments)));
  }

 private:
  explicit Library(void* handle) : handle_(handle) {}

  template <class T>
  static Word to_word(T value) {
    if constexpr (std::is_pointer_v<T>) {
      return reinterpret_cast<Word>(value);
    } else {
      return static_cast<Word>(value);
    }
  }

  void* handle_;
};

}  // namespace nvmlab::suite
