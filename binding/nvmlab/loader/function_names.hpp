// SPDX-License-Identifier: Apache-2.0
// The table of functions as a list: the entry at byte offset N of Functions belongs to function_names[N / the size of a
// pointer].
#pragma once

#include <cstddef>

#include "nvmlab/loader/generated/functions.hpp"

namespace nvml::detail {

using AnyFunction = void();
inline constexpr std::size_t kFunctionCount = sizeof(Functions) / sizeof(AnyFunction*);
static_assert(sizeof(Functions) % sizeof(AnyFunction*) == 0);

extern const char* const function_names[kFunctionCount];

}  // namespace nvml::detail
