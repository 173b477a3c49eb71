// SPDX-License-Identifier: Apache-2.0
// An access to a register of the PRM: what goes in and comes out is one block of bytes.
// Covered by tests/binding/values_hand_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

namespace nvml::abi {
struct nvmlPRMTLV_v1_t;
}  // namespace nvml::abi

namespace nvml::inline v1 {

/// An access to a register of the PRM.
/// C: nvmlPRMTLV_v1_t
struct PrmTlv {
  unsigned status{};                 ///< what the register answered
  std::vector<std::uint8_t> data{};  ///< what the register is given, or gave
  bool operator==(const PrmTlv&) const = default;
};

}  // namespace nvml::inline v1

namespace nvml::abi {
void from_c(const nvmlPRMTLV_v1_t& c, PrmTlv& value);
void to_c(const PrmTlv& value, nvmlPRMTLV_v1_t& c);
}  // namespace nvml::abi
