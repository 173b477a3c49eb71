// SPDX-License-Identifier: Apache-2.0
// PCI addresses as text, in the spellings that NVML's clients use. Tests: tests/unit/topics/pci_address_test.cpp.
#pragma once

#include <cstdint>

#include "engine/state/generated/pci.hpp"

namespace nvmlab {

struct PciAddress {
  std::uint32_t domain;
  std::uint32_t bus;
  std::uint32_t device;
  std::uint32_t function;

  bool operator==(const PciAddress&) const = default;
};

// "DDDDDDDD:BB:DD.F" with any number of digits in the domain, which may be missing, as may the function.
bool parse_pci_address(const char* text, PciAddress* out);

// "DDDD:BB:DD.F" or, with eight digits, "DDDDDDDD:BB:DD.F"; upper case as nvidia-smi prints it. 17 bytes hold either.
void format_pci_address(const PciAddress& address, std::uint32_t domain_digits, char (&out)[17]);

constexpr PciAddress address_of(const Pci& pci) { return {pci.domain.value, pci.bus.value, pci.device.value, 0}; }

// The number by which NVML tells boards apart.
constexpr std::uint32_t board_id(const Fact<std::uint32_t>& domain, const Fact<std::uint32_t>& bus,
                                 const Fact<std::uint32_t>& device) {
  return domain.value_or(0) << 16 | bus.value_or(0) << 8 | device.value_or(0);
}

}  // namespace nvmlab
