// SPDX-License-Identifier: Apache-2.0
// Publishes a state as it is, past all rules: what a test wants to find, or a writer of its own.
#pragma once

#include <memory>

#include "engine/store/edit.hpp"

namespace nvmlab::test {

template <class State>
void publish(Latched<State>& slot, const State& state) {
  const auto scratch = std::make_unique<State>();
  const auto overlay = std::make_unique<Overlay>();
  Edit<State> draft(slot, *scratch, *overlay);
  draft.edit_all() = state;
  draft.publish();
}

// What `change` makes of the published state.
template <class State, class Change>
void publish(Latched<State>& slot, State& scratch, const Change& change) {
  const auto overlay = std::make_unique<Overlay>();
  Edit<State> draft(slot, scratch, *overlay);
  change(draft.edit_all());
  draft.publish();
}

}  // namespace nvmlab::test
