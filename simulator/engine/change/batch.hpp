// SPDX-License-Identifier: Apache-2.0
// Changes that are made together or not at all; see change.hpp.
#pragma once

#include "engine/change/change.hpp"

namespace nvmlab {

struct Batch {
  const Change* changes;
  std::uint32_t count;
  std::uint32_t failed;
  Created* created = nullptr;  // what each change created; null if the caller does not need it
};

// Whether an earlier change of the batch has the same target, and so has taken this one along. Mostly it stands right
// before.
inline bool taken_along(const Batch& batch, std::uint32_t at) {
  for (std::uint32_t i = at; i > 0; --i) {
    if (batch.changes[i - 1].target == batch.changes[at].target) return true;
  }
  return false;
}

inline bool one_target(const Batch& batch) {
  for (std::uint32_t i = 1; i < batch.count; ++i) {
    if (batch.changes[i].target != batch.changes[0].target) return false;
  }
  return true;
}

}  // namespace nvmlab
