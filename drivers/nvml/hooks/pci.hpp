// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drivers/nvml/process.hpp"
#include "engine/topics/pci/pci_address.hpp"

namespace nvmlab::driver {

PciAddress address_of(const Pci& pci);
void fill_pci_info_v2(const Pci& pci, nvmlPciInfo_t* info);  // the first 36 bytes
void fill_pci_info(const Pci& pci, nvmlPciInfo_t* info);

}  // namespace nvmlab::driver
