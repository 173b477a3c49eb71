// SPDX-License-Identifier: Apache-2.0
// Numbers about one release, and one line per release for all. Covered by tests/unit/codegen/stats_test.cpp.
#pragma once

#include <string>

#include "codegen/model/drivers.hpp"
#include "codegen/model/registry.hpp"

namespace nvmlab::codegen {

std::string stats_of(const Release& release, const Drivers& drivers);
std::string stats_of_all(const Registry& registry);

}  // namespace nvmlab::codegen
