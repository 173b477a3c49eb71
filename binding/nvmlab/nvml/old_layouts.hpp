// SPDX-License-Identifier: Apache-2.0
// Functions of old that know the first part of today's struct, of which today's header has no name of its own. Covered
// by tests/binding/drivers_test.cpp and tests/binding/keyed_test.cpp.
#pragma once

#include "nvmlab/nvml/generated/convert_events.hpp"
#include "nvmlab/nvml/generated/convert_pci.hpp"
#include "nvmlab/nvml/shapes/call.hpp"

namespace nvml::detail {

// The address as text is in another place.
template <class F, class... In>
Result<PciInfo> old_pci_info(const State& state, F* Functions::*slot, const In&... in) {
  abi::nvmlPciInfo_t c{};
  if (const auto answer = ask(state, slot, in..., &c); !answer) return std::unexpected(answer.error());
  auto info = typed_as<PciInfo>(c);
  if (info.bus_id.empty()) from_c(c.busIdLegacy, info.bus_id);
  return info;
}

// Nobody wrote which MIG instance it was, before there were any.
inline Result<EventData> old_event(const State& state, abi::nvmlEventSet_t set, std::chrono::milliseconds timeout) {
  abi::nvmlEventData_t c{};
  c.gpuInstanceId = c.computeInstanceId = ~0U;
  if (const auto answer = ask(state, &Functions::nvmlEventSetWait, set, &c, as<unsigned>(timeout)); !answer)
    return std::unexpected(answer.error());
  return typed_as<EventData>(c);
}

}  // namespace nvml::detail
