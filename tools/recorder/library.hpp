// SPDX-License-Identifier: Apache-2.0
// The library that is walked, as functions by name that are called with machine words.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

namespace nvmlab::recorder {

using Word = std::uintptr_t;

inline constexpr int kSuccess = 0;
inline constexpr int kInvalidArgument = 2;
inline constexpr int kNotSupported = 3;
inline constexpr int kNoPermission = 4;
inline constexpr int kInsufficientSize = 7;
inline constexpr int kFunctionNotFound = 13;
inline constexpr int kVersionMismatch = 25;

class Library {
 public:
  virtual ~Library() = default;
  virtual void* address(const char* name) const = 0;  // null: it has no such function

  bool has(const char* name) const { return address(name) != nullptr; }

  // All parameters of NVML are integers and pointers, at most six.
  int call_words(const char* name, std::span<const Word> words) const {
    using AnyFunction = int(Word, Word, Word, Word, Word, Word);
    auto* const function = reinterpret_cast<AnyFunction*>(address(name));
    if (function == nullptr) return kFunctionNotFound;
    Word all[6] = {};
    for (std::size_t i = 0; i < words.size() && i < 6; ++i)
      all[i] = words[i];
    return function(all[0], all[1], all[2], all[3], all[4], all[5]);
  }

  // call("nvmlDeviceGetIndex", device, &index)
  template <class... Arguments>
  int call(const char* name, Arguments... arguments) const {
    const Word words[] = {to_word(arguments)..., 0};
    return call_words(name, std::span<const Word>(words, sizeof...(arguments)));
  }

 private:
  template <class T>
  static Word to_word(T value) {
    if constexpr (std::is_pointer_v<T>) {
      return reinterpret_cast<Word>(value);
    } else {
      return static_cast<Word>(value);
    }
  }
};

}  // namespace nvmlab::recorder
