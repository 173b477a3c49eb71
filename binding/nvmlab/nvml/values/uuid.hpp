// SPDX-License-Identifier: Apache-2.0
// A device's name for all time, as text or as sixteen bytes. Covered by tests/binding/values_hand_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>

namespace nvml::abi {
struct nvmlUUID_v1_t;
}  // namespace nvml::abi

namespace nvml::inline v1 {

/// C: nvmlUUID_v1_t. None of both is what NVML calls the type "none".
using Uuid = std::variant<std::monostate, std::string, std::array<std::uint8_t, 16>>;

}  // namespace nvml::inline v1

namespace nvml::abi {
void from_c(const nvmlUUID_v1_t& c, Uuid& value);
void to_c(const Uuid& value, nvmlUUID_v1_t& c);
}  // namespace nvml::abi
