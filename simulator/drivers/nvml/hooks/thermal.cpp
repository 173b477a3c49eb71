// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/hooks/fetch.hpp"

namespace nvmlab::driver {
namespace {

// The legacy view of the sensors: the chip, and the memory where it has a sensor of its own.
struct Sensor {
  nvmlThermalTarget_t target;
  Fact<std::uint32_t> now;
};

constexpr unsigned int kAllSensors = 15;  // NVML_THERMAL_TARGET_ALL

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetThermalSettings(const Device& gpu, unsigned int sensorIndex,
                                          nvmlGpuThermalSettings_t* pThermalSettings) {
  const Thermal thermal = fetch(gpu, &Gpu::thermal);
  if (!thermal.gpu_c.has_value()) return code_of(thermal.gpu_c.code());
  const Sensor sensors[] = {{NVML_THERMAL_TARGET_GPU, thermal.gpu_c}, {NVML_THERMAL_TARGET_MEMORY, thermal.memory_c}};
  const unsigned int known = thermal.memory_c.has_value() ? 2 : 1;
  if (sensorIndex != kAllSensors && sensorIndex >= known) return NVML_ERROR_INVALID_ARGUMENT;
  const unsigned int first = sensorIndex == kAllSensors ? 0 : sensorIndex;
  const unsigned int count = sensorIndex == kAllSensors ? known : 1;
  std::memset(pThermalSettings, 0, sizeof *pThermalSettings);
  pThermalSettings->count = count;
  for (unsigned int i = 0; i < count; ++i) {
    auto& out = pThermalSettings->sensor[i];
    out.controller = NVML_THERMAL_CONTROLLER_GPU_INTERNAL;
    out.defaultMaxTemp = static_cast<int>(thermal.gpu_max_c.value_or(0));
    out.currentTemp = static_cast<int>(sensors[first + i].now.value);
    out.target = sensors[first + i].target;
  }
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
