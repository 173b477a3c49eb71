// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/watch.hpp"

#include "nvmlab/nvml/generated/return.hpp"

namespace nvml {
namespace {

// How many devices were registered, or why none was.
Result<unsigned> register_all(std::span<const Device> devices, EventTypes types, const EventSet& set) {
  std::optional<Error> refusal;
  unsigned registered = 0;
  for (const Device& device : devices) {
    // A driver that refuses to tell what it supports may still take the types.
    const EventTypes wanted = types & device.supported_event_types().value_or(types);
    if (wanted.empty()) continue;
    if (const auto done = device.register_events(wanted, set)) {
      ++registered;
    } else if (!refusal) {
      refusal = done.error();
    }
  }
  if (registered > 0) return registered;
  return std::unexpected(refusal.value_or(Error{Return::not_supported, Origin::binding, "nvmlDeviceRegisterEvents"}));
}

Event event_of(const EventSet& set, const EventData& data) {
  Event event{
      Device{set.library(), data.device}, data.type, data.data, {}, data.gpu_instance_id, data.compute_instance_id};
  if (data.type.has(EventType::xid_critical_error)) event.xid = Xid{data.data};
  return event;
}

}  // namespace

Result<void> watch(const Library& library, std::span<const Device> devices, EventTypes types,
                   const std::stop_token& stop, const std::function<void(const Event&)>& seen,
                   std::chrono::milliseconds glance) {
  const auto set = library.create_event_set();
  if (!set) return std::unexpected(set.error());
  if (const auto registered = register_all(devices, types, *set); !registered)
    return std::unexpected(registered.error());
  while (!stop.stop_requested()) {
    if (const auto data = set->wait(glance)) {
      seen(event_of(*set, *data));
    } else if (data.error().code() != Return::timeout) {
      return std::unexpected(data.error());
    }
  }
  return {};
}

}  // namespace nvml
