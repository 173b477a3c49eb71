// SPDX-License-Identifier: Apache-2.0
// Pins of a GPU, or of the node, as a snapshot has them. Tests: tests/unit/control/snapshot_file_test.cpp.
#pragma once

#include <vector>

#include "engine/store/pins.hpp"

namespace nvmlab::control {

// Canonical (compiler/canonical.hpp), and in an order that follows from the pins alone: fields that follow from others
// come last, so that each is imposed when what it follows from has been. False where there is a pin that is not of a
// number, or two of one field; `nvmlab set --force` makes no such.
bool make_canonical(bool of_node, std::vector<Pin>& pins);

}  // namespace nvmlab::control
