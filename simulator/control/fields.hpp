// SPDX-License-Identifier: Apache-2.0
//
// Fields one by one, as `nvmlab get`, `watch` and `snapshot diff` tell of them: records fall apart into their members,
// lists of records into their items. Tests: tests/unit/control/differences_test.cpp,
// tests/unit/command/listing_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "compiler/paths.hpp"

namespace nvmlab::control {

// How many items of a list of records to name; of one that has none the list itself is named.
using LengthOf = std::function<std::uint32_t(const compiler::FieldRef& list)>;

std::vector<compiler::FieldRef> fields_of(const Topic& topic, const LengthOf& length_of);

// Whether a field is the same in two canonical states (compiler/canonical.hpp) of a GPU, or of a node.
bool same_field(const compiler::FieldRef& ref, const std::byte* before, const std::byte* after);

}  // namespace nvmlab::control
