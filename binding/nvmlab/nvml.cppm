// SPDX-License-Identifier: Apache-2.0
// The binding as a module, for compilers that have modules: `import nvmlab.nvml;`. It is what the header declares and
// links with the same library, so that a program may use both. Covered by tests/binding/install (where clang is installed).
module;

// All that the headers below include of the standard library: inside the module they must find it there already.
// tests/binding/install/module looks whether one is missing.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <bitset>
#include <chrono>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <ranges>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>
#include <version>
#ifdef __cpp_lib_expected
#include <expected>
#endif

export module nvmlab.nvml;

#ifdef __clang__
#pragma clang diagnostic ignored "-Winclude-angled-in-module-purview"
#endif

export extern "C++" {
#include "nvmlab/nvml.hpp"
}
