// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/watch.hpp"

#include "nvmlab/nvml/generated/return.hpp"
#include "nvmlab/nvml/objects.hpp"

namespace nvml::inline v1 {
namespace {

Result<void> register_one(const Device& device, EventTypes types, const EventSet& set) {
  // A driver that refuses to tell what it supports may still take the types.
  const EventTypes wanted = types & device.supported_event_types().value_or(types);
  if (!wanted.empty()) return device.register_events(wanted, set);
  return unexpected(
      Error{Return::not_supported, Origin::binding, "nvmlDeviceRegisterEvents", "the device has no such events"});
}

// Without `refused` the first that cannot be watched is the answer; with it, only where no device is left.
Result<void> register_all(std::span<const Device> devices, EventTypes types, const EventSet& set,
                          const std::function<void(const Device&, const Error&)>& refused) {
  Result<void> answer =
      unexpected(Error{Return::not_supported, Origin::binding, "nvmlDeviceRegisterEvents", "no device was given"});
  bool first = true;
  for (const Device& device : devices) {
    const auto done = register_one(device, types, set);
    if (!done && !refused) return done;
    if (!done) refused(device, done.error());
    if (done || first) answer = done;
    first = false;
  }
  return answer;
}

}  // namespace

Result<void> watch(const Library& library, std::span<const Device> devices, EventTypes types,
                   const std::stop_token& stop, const std::function<void(const Event&)>& seen,
                   const std::function<void(const Device&, const Error&)>& refused, std::chrono::milliseconds glance) {
  const auto set = library.create_event_set();
  if (!set) return unexpected(set.error());
  if (auto registered = register_all(devices, types, *set, refused); !registered) return registered;
  while (!stop.stop_requested()) {
    if (const auto event = set->wait(glance)) {
      seen(*event);
    } else if (event.error().code() != Return::timeout) {
      return unexpected(event.error());
    }
  }
  return {};
}

}  // namespace nvml::inline v1
