// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/values/pci_address.hpp"

#include <array>
#include <cstdio>

#include "nvmlab/nvml/generated/values_pci.hpp"

namespace nvml::inline v1 {

std::string to_string(const PciInfo& info) {
  if (!info.bus_id.empty()) return info.bus_id;
  std::array<char, 40> text{};
  const int size = std::snprintf(text.data(), text.size(), "%08X:%02X:%02X.0", info.domain, info.bus, info.device);
  return {text.data(), static_cast<std::size_t>(size)};
}

}  // namespace nvml::inline v1
