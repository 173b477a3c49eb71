// SPDX-License-Identifier: Apache-2.0
// PCI addresses as texts. Covered by tests/binding/whole_types_test.cpp.
#pragma once

#include <iosfwd>
#include <string>

namespace nvml::inline v1 {

struct PciInfo;

/// The address alone, "00000000:3B:00.0", as the driver has it; where it gave no text, made of its numbers.
std::string to_string(const PciInfo& info);
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& stream, const PciInfo& info) {
  return stream << to_string(info);
}

}  // namespace nvml::inline v1
