// SPDX-License-Identifier: Apache-2.0
// Copies of what the store publishes. Tests: tests/unit/control/snapshot_test.cpp.
#pragma once

#include <memory>

#include "compiler/canonical.hpp"
#include "engine/store/store.hpp"

namespace nvmlab::control {

// Copies the state of a GPU or of the machine, consistent in itself and canonical (compiler/canonical.hpp).
template <class State>
void copy_published(const Latched<State>& slot, State* zeroed) {
  const auto now = std::make_unique<State>(consistent(slot, [](const State& state) { return load(state); }));
  compiler::copy_canonical(*now, zeroed);
}

}  // namespace nvmlab::control
