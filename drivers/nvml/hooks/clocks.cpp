// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/generated/hooks.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver::hooks {

nvmlReturn_t nvmlDeviceSetApplicationsClocks(const Device& gpu, unsigned int memClockMHz,
                                             unsigned int graphicsClockMHz) {
  return apply(gpu, SetApplicationClocks{memClockMHz, graphicsClockMHz});
}

nvmlReturn_t nvmlDeviceResetApplicationsClocks(const Device& gpu) { return apply(gpu, ResetApplicationClocks{}); }

nvmlReturn_t nvmlDeviceSetAutoBoostedClocksEnabled(const Device& gpu, nvmlEnableState_t enabled) {
  return apply(gpu, SetAutoBoost{static_cast<std::uint32_t>(enabled)});
}

nvmlReturn_t nvmlDeviceSetGpuLockedClocks(const Device& gpu, unsigned int minGpuClockMHz, unsigned int maxGpuClockMHz) {
  return apply(gpu, LockGraphicsClocks{minGpuClockMHz, maxGpuClockMHz});
}

nvmlReturn_t nvmlDeviceResetGpuLockedClocks(const Device& gpu) { return apply(gpu, UnlockGraphicsClocks{}); }

nvmlReturn_t nvmlDeviceSetMemoryLockedClocks(const Device& gpu, unsigned int minMemClockMHz,
                                             unsigned int maxMemClockMHz) {
  return apply(gpu, LockMemoryClocks{minMemClockMHz, maxMemClockMHz});
}

nvmlReturn_t nvmlDeviceResetMemoryLockedClocks(const Device& gpu) { return apply(gpu, UnlockMemoryClocks{}); }

}  // namespace nvmlab::driver::hooks
