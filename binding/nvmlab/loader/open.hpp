// SPDX-License-Identifier: Apache-2.0
// From a file to a State: opens the library, looks up every function, initialises NVML. The State's last owner shuts it
// down and closes it. Covered by tests/binding/open_test.cpp and fork_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "nvmlab/loader/lean_std.hpp"
#include "nvmlab/loader/search.hpp"
#include "nvmlab/loader/state.hpp"

namespace nvml::inline v1::detail {

// Errors: LIBRARY_NOT_FOUND of origin loader with a line for each place tried; FUNCTION_NOT_FOUND of origin symbol if
// what was opened cannot be initialised by any known name; else what nvmlInit_v2 answered.
Result<Shared> open(const OpenOptions& options);

// The same with the first of these places that can be opened.
Result<Shared> open_first(const std::vector<std::string>& places, const OpenOptions& options);

// Gives up this owner, waits until all others are gone, and shuts down. TIMEOUT of origin binding if they were not gone
// in time; the last of them shuts down later.
Result<void> shut_down(Shared& library, std::chrono::milliseconds patience);

// What an owner holds after shut_down: every entry is null.
Shared closed_state() noexcept;

}  // namespace nvml::inline v1::detail
