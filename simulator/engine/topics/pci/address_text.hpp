// SPDX-License-Identifier: Apache-2.0
//
// PCI addresses as NVML's structs contain them, for verdicts: text without a loop, as every client reads it of every
// GPU. Tests: tests/unit/topics/pci_address_test.cpp.
#pragma once

#include <cstdint>

#include "engine/state/fact.hpp"

namespace nvmlab {

// Characters with zeros behind them; always a value.
struct AddressText {
  std::uint64_t words[4];
  static constexpr bool has_value() { return true; }
  static constexpr std::uint32_t code() { return kSuccess; }
};

// Eight upper-case hexadecimal digits, the first in the lowest byte.
constexpr std::uint64_t hex_digits(std::uint32_t number) {
  std::uint64_t nibbles = number;
  nibbles = (nibbles | nibbles << 16) & 0x0000'FFFF'0000'FFFF;
  nibbles = (nibbles | nibbles << 8) & 0x00FF'00FF'00FF'00FF;
  nibbles = (nibbles | nibbles << 4) & 0x0F0F'0F0F'0F0F'0F0F;
  const std::uint64_t letters = (nibbles + 0x0606'0606'0606'0606) >> 4 & 0x0101'0101'0101'0101;
  return __builtin_bswap64(nibbles + 0x3030'3030'3030'3030 + letters * ('A' - '9' - 1));
}

// "BB:DD.0", with zeros behind it.
constexpr std::uint64_t short_address(std::uint32_t bus, std::uint32_t device) {
  const std::uint64_t digits = hex_digits((bus & 0xFF) << 8 | (device & 0xFF)) >> 32;
  constexpr std::uint64_t marks = std::uint64_t{':'} << 16 | std::uint64_t{'.'} << 40 | std::uint64_t{'0'} << 48;
  return (digits & 0xFFFF) | (digits & 0xFFFF'0000) << 8 | marks;
}

// "DDDDDDDD:BB:DD.0"; a field without a value is zero.
constexpr AddressText bus_id(const Fact<std::uint32_t>& domain, const Fact<std::uint32_t>& bus,
                             const Fact<std::uint32_t>& device) {
  const std::uint64_t rest = short_address(bus.value_or(0), device.value_or(0));
  return {{hex_digits(domain.value_or(0)), rest << 8 | ':', 0, 0}};
}

// "DDDD:BB:DD.0", with the lower half of the domain.
constexpr AddressText legacy_bus_id(const Fact<std::uint32_t>& domain, const Fact<std::uint32_t>& bus,
                                    const Fact<std::uint32_t>& device) {
  const std::uint64_t rest = short_address(bus.value_or(0), device.value_or(0));
  return {{hex_digits(domain.value_or(0)) >> 32 | std::uint64_t{':'} << 32 | rest << 40, rest >> 24, 0, 0}};
}

}  // namespace nvmlab
