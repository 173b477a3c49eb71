// SPDX-License-Identifier: Apache-2.0
// Fields by their place in a Gpu or Node, for changes that name them so. Tests:
// tests/unit/command/change_text_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/state/field.hpp"

namespace nvmlab::control {

struct PlacedField {
  std::string path;
  const Field* field;
  std::uint32_t offset;  // within the Gpu or Node
};

// All that have a byte in [offset, offset + size); of records and lists of records, their members.
std::vector<PlacedField> fields_at(bool of_node, std::uint32_t offset, std::uint32_t size);

}  // namespace nvmlab::control
