// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/hooks/fetch.hpp"

namespace nvmlab::driver::hooks {

nvmlReturn_t nvmlDeviceGetTemperatureV(const Device& gpu, nvmlTemperature_t* temperature) {
  if (temperature->version != version_of<nvmlTemperature_v1_t>) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  if (temperature->sensorType != NVML_TEMPERATURE_GPU) return NVML_ERROR_INVALID_ARGUMENT;
  return give(read_field(gpu.slot, &Gpu::thermal, &Thermal::gpu_c), &temperature->temperature);
}

nvmlReturn_t nvmlDeviceGetNumFans(const Device& gpu, unsigned int* numFans) {
  const std::uint32_t count = fetch(gpu, &Gpu::thermal).fans.size();
  if (count == 0) return NVML_ERROR_NOT_SUPPORTED;
  *numFans = count;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetFanSpeed_v2(const Device& gpu, unsigned int fan, unsigned int* speed) {
  const Thermal thermal = fetch(gpu, &Gpu::thermal);
  if (thermal.fans.size() == 0) return NVML_ERROR_NOT_SUPPORTED;
  return fan < thermal.fans.size() ? give(thermal.fans[fan].speed_percent, speed) : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvmlDeviceGetFanSpeed(const Device& gpu, unsigned int* speed) {
  return nvmlDeviceGetFanSpeed_v2(gpu, 0, speed);
}

}  // namespace nvmlab::driver::hooks
