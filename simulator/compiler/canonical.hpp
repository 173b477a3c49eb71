// SPDX-License-Identifier: Apache-2.0
//
// States without what nobody can read: padding, what stands behind the end of a text or a list, the number of a field
// that answers with a return code. Two states in which every field is the same become the same bytes, however they came
// about. Tests: tests/unit/control/snapshot_test.cpp.
#pragma once

#include "engine/state/generated/state.hpp"
#include "engine/store/pins.hpp"

namespace nvmlab::compiler {

// `zeroed` is all zeros before.
void copy_canonical(const Gpu& from, Gpu* zeroed);
void copy_canonical(const Node& from, Node* zeroed);

// A pin holds the bytes of a fact.
Pin canonical(const Pin& pin);

}  // namespace nvmlab::compiler
