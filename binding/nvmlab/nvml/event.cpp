// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/event.hpp"

#include "nvmlab/nvml/shapes/call.hpp"

namespace nvml::inline v1::detail {
namespace {

using Wait = abi::nvmlReturn_t(abi::nvmlEventSet_t, abi::nvmlEventData_t*, unsigned);

std::optional<unsigned> instance_of(unsigned id) { return id == ~0U ? std::nullopt : std::optional{id}; }

Result<Event> wait(const Shared& library, Wait* Functions::*slot, abi::nvmlEventSet_t set,
                   std::chrono::milliseconds timeout) {
  abi::nvmlEventData_t c{};
  c.gpuInstanceId = c.computeInstanceId = ~0U;  // nobody wrote them before there were any
  if (const auto answer = ask(*library, slot, set, &c, as<unsigned>(timeout)); !answer)
    return unexpected(answer.error());
  Event event;
  event.device = Device{library, c.device};
  event.type = EventTypes{c.eventType};
  event.data = c.eventData;
  if (event.type.has(EventType::xid_critical_error)) event.xid = Xid{event.data};
  event.gpu_instance_id = instance_of(c.gpuInstanceId);
  event.compute_instance_id = instance_of(c.computeInstanceId);
  return event;
}

}  // namespace

Result<Event> event_v2(const Shared& library, abi::nvmlEventSet_t set, std::chrono::milliseconds timeout) {
  return wait(library, &Functions::nvmlEventSetWait_v2, set, timeout);
}

Result<Event> event_v1(const Shared& library, abi::nvmlEventSet_t set, std::chrono::milliseconds timeout) {
  return wait(library, &Functions::nvmlEventSetWait, set, timeout);
}

}  // namespace nvml::inline v1::detail
