// SPDX-License-Identifier: Apache-2.0
#include "engine/change/change_events.hpp"

#include "engine/topics/events/event_types.hpp"
#include "engine/topics/events/following_events.hpp"
#include "engine/topics/kernel_log/xid_lines.hpp"

namespace nvmlab {
namespace {

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
