// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/values/thermal_settings.hpp"

#include <iterator>

#include "nvmlab/abi/generated/types.hpp"
#include "nvmlab/nvml/convert.hpp"

namespace nvml::abi {

void from_c(const nvmlGpuThermalSettings_t& c, GpuThermalSettings& value) {
  using nvml::detail::from_c;
  value.sensors.resize(std::min<std::size_t>(c.count, std::size(c.sensor)));
  for (std::size_t i = 0; i < value.sensors.size(); ++i) {
    ThermalSensor& sensor = value.sensors[i];
    from_c(c.sensor[i].controller, sensor.controller);
    from_c(c.sensor[i].defaultMinTemp, sensor.default_min);
    from_c(c.sensor[i].defaultMaxTemp, sensor.default_max);
    from_c(c.sensor[i].currentTemp, sensor.current);
    from_c(c.sensor[i].target, sensor.target);
  }
}

void to_c(const GpuThermalSettings& value, nvmlGpuThermalSettings_t& c) {
  using nvml::detail::to_c;
  c = {};
  c.count = static_cast<unsigned>(std::min(value.sensors.size(), std::size(c.sensor)));
  for (unsigned i = 0; i < c.count; ++i) {
    const ThermalSensor& sensor = value.sensors[i];
    to_c(sensor.controller, c.sensor[i].controller);
    to_c(sensor.default_min, c.sensor[i].defaultMinTemp);
    to_c(sensor.default_max, c.sensor[i].defaultMaxTemp);
    to_c(sensor.current, c.sensor[i].currentTemp);
    to_c(sensor.target, c.sensor[i].target);
  }
}

}  // namespace nvml::abi
