// SPDX-License-Identifier: Apache-2.0
// The files about one GPU: its PCI device in /sys, and its information in /proc/driver/nvidia/gpus. Tests:
// tests/command/driver_root_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "control/driver_files.hpp"
#include "engine/store/store.hpp"

namespace nvmlab::control {

std::uint32_t minor_number(const GpuSlot& slot, std::uint32_t index);  // N of /dev/nvidiaN
std::string bus_location(const GpuSlot& slot);                         // "0000:1b:00.0", as the kernel writes it
std::string gpu_information(const GpuSlot& slot, std::uint32_t index);

// Adds the PCI device, with a link to its driver if one is loaded.
void add_pci_device(const GpuSlot& slot, bool driver, std::vector<DriverFile>& files);

}  // namespace nvmlab::control
