// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/events/following_events.hpp"

#include "engine/store/driver_version.hpp"
#include "engine/topics/events/event_types.hpp"

namespace nvmlab {

std::uint32_t driver_branch(const Store& store) {
  const Text<80> version = read_field(store.node, &Node::system, &System::driver_version);
  return driver_release(driver_row(version.data)).major;
}

std::uint32_t recovery_action(const GpuEdit& draft) { return draft.view(&Gpu::modes).recovery_action.value_or(0); }

void raise_recovery(const Store& store, GpuEdit& draft, std::uint32_t before) {
  if (recovery_action(draft) == before) return;
  Event event{.type = kRecoveryActionEvent,
              .data = 0,
              .at_ns = draft.now_ns(),
              .gpu = 0,
              .gpu_instance = kNoInstance,
              .compute_instance = kNoInstance,
              .of_machine = 0};
  draft.raised().add(event);
  if (driver_branch(store) < kFirstBranchWithRecovery) return;
  event.type = kXidEvent;
  event.data = kRecoveryActionXid;
  draft.raised().add(event);
}

}  // namespace nvmlab
