// SPDX-License-Identifier: Apache-2.0
// Which simulated drivers have a function: one bit for each row of model/drivers.yaml. Tests:
// tests/unit/codegen/presence_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/model/inputs.hpp"

namespace nvmlab::codegen {

// Returns the rows of model/drivers.yaml that have each function, for Inputs::presence.
std::map<std::string, std::uint64_t, std::less<>> presence_of_all(const Inputs& inputs);

std::uint64_t presence(const Inputs& inputs, const std::string& function);

// The first driver that has a function, "535.98"; empty where the first of all has it, or none is known to.
std::string first_driver(const Inputs& inputs, const std::string& function);

// Its branch, "535".
std::string first_branch(const Inputs& inputs, const std::string& function);

// The row whose facts a driver has, by its version; the first one for a driver that is older than all.
std::size_t driver_row(const std::vector<DriverRelease>& releases, std::string_view version);

// "340 to 525", "535.98 on", "525, 535.43 on": the releases in which rows begin.
std::string presence_text(const Inputs& inputs, std::uint64_t presence);

}  // namespace nvmlab::codegen
