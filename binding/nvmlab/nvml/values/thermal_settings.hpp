// SPDX-License-Identifier: Apache-2.0
// The thermal sensors of a board. Covered by tests/binding/values_hand_test.cpp.
#pragma once

#include <vector>

#include "nvmlab/nvml/generated/enums.hpp"
#include "nvmlab/nvml/units.hpp"

namespace nvml::abi {
struct nvmlGpuThermalSettings_t;
}  // namespace nvml::abi

namespace nvml::inline v1 {

/// One sensor of a board.
struct ThermalSensor {
  ThermalController controller{};  ///< what reads it
  Celsius default_min{};           ///< of its range
  Celsius default_max{};           ///< of its range
  Celsius current{};               ///< what it shows
  ThermalTarget target{};          ///< what is measured
  bool operator==(const ThermalSensor&) const = default;
};

/// All sensors of a board.
/// C: nvmlGpuThermalSettings_t
struct GpuThermalSettings {
  std::vector<ThermalSensor> sensors{};  ///< in the order of the driver
  bool operator==(const GpuThermalSettings&) const = default;
};

}  // namespace nvml::inline v1

namespace nvml::abi {
void from_c(const nvmlGpuThermalSettings_t& c, GpuThermalSettings& value);
void to_c(const GpuThermalSettings& value, nvmlGpuThermalSettings_t& c);
}  // namespace nvml::abi
