// SPDX-License-Identifier: Apache-2.0
#include "engine/change/written_fields.hpp"

#include "engine/topics/field_rules.hpp"

namespace nvmlab {
namespace {

struct BatchOfTarget {
  const Batch& batch;
  ChangeTarget target;

  bool puts(std::uint32_t index) const {
    return batch.changes[index].target == target && holds<PutBytes>(batch.changes[index]);
  }
};

Written::Range written_by(const void* of, std::uint32_t index) {
  const auto& changes = *static_cast<const BatchOfTarget*>(of);
  if (!changes.puts(index)) return {0, 0};
  PutBytes put{};
  std::memcpy(&put, changes.batch.changes[index].body, offsetof(PutBytes, bytes));
  return {put.offset, put.offset + put.size};
}

template <class State>
Code follow(Edit<State>& draft, Batch& batch, const BatchOfTarget& changes) {
  bool any = false;
  for (std::uint32_t i = 0; i < batch.count && !any; ++i)
    any = changes.puts(i);
  if (!any) return kSuccess;
  std::uint32_t refused = batch.failed;
  const Code code = follow_written(draft, Written(&changes, batch.count, written_by), &refused);
  if (code != kSuccess) batch.failed = refused;
  return code;
}

}  // namespace

Code follow_batch(GpuEdit& draft, Batch& batch, ChangeTarget target) { return follow(draft, batch, {batch, target}); }

Code follow_batch(NodeEdit& draft, Batch& batch, ChangeTarget target) { return follow(draft, batch, {batch, target}); }

}  // namespace nvmlab
