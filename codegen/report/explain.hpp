// SPDX-License-Identifier: Apache-2.0
// Everything that the facts know about one name. Covered by tests/unit/codegen/explain_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "codegen/model/drivers.hpp"
#include "codegen/model/registry.hpp"

namespace nvmlab::codegen {

// A function, a type, an enumerator or a macro, gone ones too. The error suggests the nearest name.
Result<std::string> explain(const Registry& registry, const Drivers& drivers, std::string_view name);

}  // namespace nvmlab::codegen
