// SPDX-License-Identifier: Apache-2.0
// The driver branches that can be simulated, for lists and messages. Tests: tests/command/profiles_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "engine/store/driver_version.hpp"

namespace nvmlab::tool {

// The first row of each branch of which a release is known, oldest first.
std::vector<const DriverRelease*> driver_branches();

// "340, 390, ... 615"
std::string driver_branch_names();

}  // namespace nvmlab::tool
