// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/events/following_events.hpp"

#include "engine/store/driver_version.hpp"
#include "engine/topics/events/event_types.hpp"
#include "engine/topics/events/xid_lines.hpp"

namespace nvmlab {
namespace {

std::uint32_t driver_branch(const Store& store) {
  const Text<80> version = read_field(store.node, &Node::system, &System::driver_version);
  return driver_release(driver_row(version.data)).major;
}

bool reported(const Event& event, std::uint64_t known) { return event.of_machine != 0 || (event.type & known) != 0; }

void log_xid(const Event& xid, const GpuEdit& draft, std::uint32_t recovery_before, const KernelLog& log) {
  const XidSubject subject{.address = address_of(draft.view(&Gpu::pci)),
                           .gpu_instance = xid.gpu_instance,
                           .compute_instance = xid.compute_instance,
                           .remaps_rows = draft.view(&Gpu::ecc).remap_pending.has_value(),
                           .action_before = recovery_before,
                           .action_now = recovery_action(draft)};
  char text[kMaxXidLine];
  TextWriter line(text);
  write_xid_line(xid.data, subject, line);
  line.add("\n");
  log.append(text, line.size());
}

}  // namespace

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

void publish_events(Store& store, GpuEdit& draft, std::uint32_t gpu, std::uint32_t recovery_before,
                    const KernelLog& log) {
  RaisedEvents& raised = draft.raised();
  if (raised.count == 0) return;
  const EventSources board = event_sources(draft.view(&Gpu::ecc), draft.view(&Gpu::modes));
  const std::uint64_t known = supported_events(board, driver_branch(store));
  for (std::uint32_t i = 0; i < raised.count; ++i) {
    Event& event = raised.items[i];
    if (!reported(event, known)) continue;
    event.gpu = gpu;
    if (event.of_machine == 0 && event.type == kXidEvent) log_xid(event, draft, recovery_before, log);
    raise(&store.events, event);
  }
}

}  // namespace nvmlab
