// SPDX-License-Identifier: Apache-2.0
//
// Leaves that versions of nvidia-smi print under different names: one value, one name. Used where two captures are held
// against each other. Tests: tests/unit/capture/comparison_test.cpp, tests/unit/compare/leaves_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace nvmlab::capture {

// The name that the newest version gives to the leaf; its own where that never changed.
[[nodiscard]] std::string newest_name(std::string_view path);

}  // namespace nvmlab::capture
