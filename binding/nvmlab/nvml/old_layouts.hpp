// SPDX-License-Identifier: Apache-2.0
// Functions of old that know the first part of today's struct, of which today's header has no name of its own. Covered
// by tests/binding/drivers_test.cpp.
#pragma once

#include "nvmlab/loader/state.hpp"
#include "nvmlab/nvml/generated/values_pci.hpp"

namespace nvml::inline v1::detail {

// C: nvmlDeviceGetPciInfo
Result<PciInfo> pci_info_v1(const State& state, abi::nvmlDevice_t device);

// C: nvmlDeviceGetPciInfo_v2
Result<PciInfo> pci_info_v2(const State& state, abi::nvmlDevice_t device);

// C: nvmlDeviceGetNvLinkRemotePciInfo
Result<PciInfo> remote_pci_info_v1(const State& state, abi::nvmlDevice_t device, unsigned link);

}  // namespace nvml::inline v1::detail
