// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/events/following_events.hpp"

#include "engine/store/driver_version.hpp"
#include "engine/topics/events/event_types.hpp"

namespace nvmlab {

std::uint32_t recovery_action(const GpuEdit& draft) { return draft.view(&Gpu::modes).recovery_action.value_or(0); }

void tell_recovery(GpuEdit& draft, std::uint32_t before) {
  if (recovery_action(draft) == before) return;
  Event event{.type = kRecoveryActionEvent,
              .data = 0,
              .at_ns = draft.now_ns(),
              .gpu = 0,
              .gpu_instance = kNoInstance,
              .compute_instance = kNoInstance,
              .of_machine = 0};
  draft.raised().add(event);
  event.type = kXidEvent;
  event.data = kRecoveryActionXid;
  draft.raised().add(event);
}

void raise_told(Store& store, GpuEdit& draft, std::uint32_t gpu) {
  RaisedEvents& raised = draft.raised();
  if (raised.count == 0) return;
  const Text<80> version = read_field(store.node, &Node::system, &System::driver_version);
  const std::uint32_t branch = driver_release(driver_row(version.data)).major;
  const std::uint64_t known = supported_events(event_sources(draft.view(&Gpu::ecc), draft.view(&Gpu::modes)), branch);
  for (std::uint32_t i = 0; i < raised.count; ++i) {
    Event& event = raised.items[i];
    if ((event.type & known) == 0) continue;
    // That an action changed is an Xid since there are actions.
    if (event.data == kRecoveryActionXid && branch < kFirstBranchWithRecovery) continue;
    event.gpu = gpu;
    raise(&store.events, event);
  }
}

}  // namespace nvmlab
