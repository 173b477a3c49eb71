// SPDX-License-Identifier: Apache-2.0
// PCI addresses from functions of old, which know the first half of today's struct: the address as text is in another
// place. Covered by tests/binding/drivers_test.cpp.
#pragma once

#include "nvmlab/nvml/generated/convert_pci.hpp"
#include "nvmlab/nvml/shapes/call.hpp"

namespace nvml::detail {

template <class F, class... In>
Result<PciInfo> old_pci_info(const State& state, F* Functions::*slot, const In&... in) {
  abi::nvmlPciInfo_t c{};
  if (const auto answer = ask(state, slot, in..., &c); !answer) return std::unexpected(answer.error());
  PciInfo info = typed_as<PciInfo>(c);
  if (info.bus_id.empty()) from_c(c.busIdLegacy, info.bus_id);
  return info;
}

}  // namespace nvml::detail
