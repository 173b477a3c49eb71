// SPDX-License-Identifier: Apache-2.0
// What the binding needs of compiler and library, said once and first. Behind the #error stands a file that nobody has:
// an #error alone lets the compiler go on, and the sentence would be lost among the hundreds that follow.
// Covered by tests/binding/language/.
#pragma once

#if defined(__has_include)
#if __has_include(<version>)
#include <version>
#endif
#endif

#if __cplusplus < 202002L || !defined(__cpp_lib_ranges)
#error "nvmlab needs C++20: compile with -std=c++20 or newer, by GCC 12, clang 19 or newer"
#include <nvmlab-needs-c++20>
#endif
