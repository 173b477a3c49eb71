// SPDX-License-Identifier: Apache-2.0
// The rules of the fields that a batch has written with PutBytes. Tests: tests/unit/changes/field_rules_test.cpp.
#pragma once

#include "engine/change/batch.hpp"

namespace nvmlab {

// Runs once all changes of the batch to `target` are made. On an error, `batch.failed` is the refused change.
Code follow_batch(GpuEdit& draft, Batch& batch, ChangeTarget target);
Code follow_batch(NodeEdit& draft, Batch& batch, ChangeTarget target);

// Other targets have no fields.
template <class Draft>
Code follow_batch(Draft&, Batch&, ChangeTarget) {
  return kSuccess;
}

}  // namespace nvmlab
