// SPDX-License-Identifier: Apache-2.0
// What the binding's own headers use of <chrono> and <memory>: durations and moments, and what makes an object in a
// place. Both headers bring streams and locales, which a file that includes the binding need not read; who wants
// calendars or smart pointers includes those. Test: tests/binding/language/weight.
#pragma once

#include <version>

#if defined(__GLIBCXX__) && __has_include(<bits/chrono.h>) && __has_include(<bits/stl_construct.h>)
#include <bits/chrono.h>
#include <bits/stl_construct.h>
#else
#include <chrono>
#include <memory>
#endif
