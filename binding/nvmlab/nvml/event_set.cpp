// SPDX-License-Identifier: Apache-2.0
// What the event sets ask for through structs that point at the caller's memory.
#include "nvmlab/nvml/event_set.hpp"

#include "nvmlab/nvml/created.hpp"
#include "nvmlab/nvml/generated/convert_events.hpp"
#include "nvmlab/nvml/shapes/call.hpp"
#include "nvmlab/nvml/system_event_set.hpp"

namespace nvml::inline v1 {

Result<std::vector<std::uint8_t>> EventSet::context_data(unsigned index) const {
  abi::nvmlEventSetGetContextInfo_v1_t info{};
  info.index = index;
  if (const auto told = detail::ask(state(), &Functions::nvmlEventSetGetContextInfo_v1, handle(), &info); !told)
    return unexpected(told.error());
  std::vector<std::uint8_t> bytes(info.dataSize);
  abi::nvmlEventSetGetContextData_v1_t request{};
  request.data = bytes.data();
  request.index = index;
  request.dataSize = info.dataSize;
  if (const auto given = detail::ask(state(), &Functions::nvmlEventSetGetContextData_v1, handle(), &request); !given)
    return unexpected(given.error());
  if (request.dataSize < bytes.size()) bytes.resize(request.dataSize);
  return bytes;
}

Result<void> SystemEventSet::register_events(SystemEventTypes types) const {
  abi::nvmlSystemRegisterEventRequest_t request{};
  detail::fill_version(request);
  request.eventTypes = types.raw();
  request.set = handle();
  return detail::ask(state(), &Functions::nvmlSystemRegisterEvents, &request);
}

Result<std::vector<SystemEventData>> SystemEventSet::wait(std::chrono::milliseconds timeout) const {
  constexpr unsigned most = 32;  // the next call brings what is left
  abi::nvmlSystemEventData_v1_t data[most] = {};
  abi::nvmlSystemEventSetWaitRequest_t request{};
  detail::fill_version(request);
  request.timeoutms = detail::as<unsigned>(timeout);
  request.set = handle();
  request.data = data;
  request.dataSize = most;
  if (const auto answer = detail::ask(state(), &Functions::nvmlSystemEventSetWait, &request); !answer)
    return unexpected(answer.error());
  std::vector<SystemEventData> events;
  for (unsigned i = 0; i < request.numEvent && i < most; ++i)
    events.push_back(detail::typed_as<SystemEventData>(data[i]));
  return events;
}

Result<SystemEventSet> detail::new_system_event_set(const Shared& library) {
  abi::nvmlSystemEventSetCreateRequest_t request{};
  fill_version(request);
  if (const auto answer = ask(*library, &Functions::nvmlSystemEventSetCreate, &request); !answer)
    return unexpected(answer.error());
  return SystemEventSet{library, request.set};
}

}  // namespace nvml::inline v1
