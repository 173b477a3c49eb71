// SPDX-License-Identifier: Apache-2.0
// The table of functions as a list: the entry at byte offset N of Functions belongs to function_names[N / the size of a
// pointer].
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

#include "nvmlab/loader/generated/functions.hpp"

namespace nvml::inline v1::detail {

using AnyFunction = void();
inline constexpr std::size_t kFunctionCount = sizeof(Functions) / sizeof(AnyFunction*);
static_assert(sizeof(Functions) % sizeof(AnyFunction*) == 0);

extern const char* const function_names[kFunctionCount];

// kFunctionCount if the table has no function of this name.
std::size_t index_of(std::string_view name) noexcept;

// The entry that belongs to function_names[index], as the dynamic linker knows functions.
inline void* entry(const Functions& functions, std::size_t index) noexcept {
  void* found = nullptr;
  std::memcpy(&found, reinterpret_cast<const char*>(&functions) + index * sizeof found, sizeof found);
  return found;
}

inline void set_entry(Functions& functions, std::size_t index, void* function) noexcept {
  std::memcpy(reinterpret_cast<char*>(&functions) + index * sizeof function, &function, sizeof function);
}

}  // namespace nvml::inline v1::detail
