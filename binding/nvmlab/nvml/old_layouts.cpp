// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/old_layouts.hpp"

#include "nvmlab/nvml/generated/convert_pci.hpp"
#include "nvmlab/nvml/shapes/call.hpp"

namespace nvml::inline v1::detail {
namespace {

// The address as text is in another place.
template <class F, class... In>
Result<PciInfo> old_pci_info(const State& state, F* Functions::*slot, const In&... in) {
  abi::nvmlPciInfo_t c{};
  return ask_for<PciInfo>(
      state, slot,
      [&] {
        Result<PciInfo> info = answer_of<PciInfo>(c);
        if (info->bus_id.empty()) from_c(c.busIdLegacy, info->bus_id);
        return info;
      },
      in..., &c);
}

}  // namespace

Result<PciInfo> pci_info_v1(const State& state, abi::nvmlDevice_t device) {
  return old_pci_info(state, &Functions::nvmlDeviceGetPciInfo, device);
}

Result<PciInfo> pci_info_v2(const State& state, abi::nvmlDevice_t device) {
  return old_pci_info(state, &Functions::nvmlDeviceGetPciInfo_v2, device);
}

Result<PciInfo> remote_pci_info_v1(const State& state, abi::nvmlDevice_t device, unsigned link) {
  return old_pci_info(state, &Functions::nvmlDeviceGetNvLinkRemotePciInfo, device, link);
}

}  // namespace nvml::inline v1::detail
