// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {

// The engine has its own names for them.
static_assert(kInvalidArgument == NVML_ERROR_INVALID_ARGUMENT && kNoPermission == NVML_ERROR_NO_PERMISSION &&
              kNotSupported == NVML_ERROR_NOT_SUPPORTED && kGpuIsLost == NVML_ERROR_GPU_IS_LOST &&
              kResetRequired == NVML_ERROR_RESET_REQUIRED && kInUse == NVML_ERROR_IN_USE &&
              kNotFound == NVML_ERROR_NOT_FOUND && kMemory == NVML_ERROR_MEMORY &&
              kInsufficientResources == NVML_ERROR_INSUFFICIENT_RESOURCES &&
              kInvalidState == NVML_ERROR_INVALID_STATE && kTimeout == NVML_ERROR_TIMEOUT &&
              kOperatingSystem == NVML_ERROR_OPERATING_SYSTEM);
static_assert(kClockSymbols == NVML_CLOCK_LIMIT_ID_RANGE_START && kClockOfTdp == NVML_CLOCK_LIMIT_ID_TDP &&
              kUnlimitedClock == NVML_CLOCK_LIMIT_ID_UNLIMITED);
static_assert(kShippedThreshold == NVLINK_LOW_POWER_THRESHOLD_RESET);
static_assert(kHostVgpu == NVML_GPU_VIRTUALIZATION_MODE_HOST_VGPU &&
              kHostVsga == NVML_GPU_VIRTUALIZATION_MODE_HOST_VSGA);
static_assert(FAN_POLICY_TEMPERATURE_CONTINOUS_SW == 0 && FAN_POLICY_MANUAL == 1);
static_assert(kSmoothingParameters == POWER_SMOOTHING_NUM_PROFILE_PARAMS && kNoHardLimit == DEVICE_MEMORY_LIMIT_MAX);

bool may(Role wanted) {
  const auto role = static_cast<Role>(__atomic_load_n(&process.role, __ATOMIC_RELAXED));
  return role == Role::actual ? sys::effective_user() == 0 : covers(role, wanted);
}

nvmlReturn_t apply_change(Store& store, const Change& change) {
  MachineAccess machine{store, process.file, may_administrate()};
  const Code code = nvmlab::apply(machine, change).code;
  if (code == kTimeout) {
    Line line;
    line << Quoted{process.file.path} << ": another process has had the machine's lock for "
         << WriteLock::kPatienceNs / 1'000'000'000 << " s, so nothing was changed; is it stopped?";
    log_error(line);
  }
  return static_cast<nvmlReturn_t>(code);
}

}  // namespace nvmlab::driver
