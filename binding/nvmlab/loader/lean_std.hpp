// SPDX-License-Identifier: Apache-2.0
// What the binding's own headers use of <chrono>, <iterator> and <memory>: durations and moments, the kinds of
// iterators, and what makes an object in a place. These headers bring streams and locales, which a file that includes
// the binding need not read; who wants calendars or smart pointers includes those. Test: tests/binding/language/weight.
#pragma once

#include <version>

#if defined(__GLIBCXX__) && __has_include(<bits/chrono.h>) && __has_include(<bits/stl_construct.h>)
#include <bits/chrono.h>
#include <bits/stl_construct.h>
#include <bits/stl_iterator_base_types.h>
#else
#include <chrono>
#include <iterator>
#include <memory>
#endif
