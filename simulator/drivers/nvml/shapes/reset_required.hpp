// SPDX-License-Identifier: Apache-2.0
//
// What is answered about a GPU that must be reset: what the driver keeps of it, and what nvidia-smi -r asks before it
// resets one. Assumed: no public source says which calls go on. Tests: tests/drivers/functions/fault_test.cpp,
// tests/clients/smi_fault_test.cpp.
#pragma once

#include "drivers/nvml/generated/functions.hpp"
#include "drivers/nvml/process.hpp"

namespace nvmlab::driver {

constexpr bool answered_before_reset(Function function) {
  switch (function) {
    case Function::nvmlDeviceGetArchitecture:
    case Function::nvmlDeviceGetBrand:
    case Function::nvmlDeviceGetCudaComputeCapability:
    case Function::nvmlDeviceGetFieldValues:
    case Function::nvmlDeviceGetGpuOperationMode:
    case Function::nvmlDeviceGetIndex:
    case Function::nvmlDeviceGetMinorNumber:
    case Function::nvmlDeviceGetName:
    case Function::nvmlDeviceGetPciInfo:
    case Function::nvmlDeviceGetPciInfo_v2:
    case Function::nvmlDeviceGetPciInfo_v3:
    case Function::nvmlDeviceGetPciInfoExt:
    case Function::nvmlDeviceGetPersistenceMode:
    case Function::nvmlDeviceGetSerial:
    case Function::nvmlDeviceGetSupportedEventTypes:
    case Function::nvmlDeviceGetUUID:
    case Function::nvmlDeviceGetVirtualizationMode:
    case Function::nvmlDeviceRegisterEvents:
    case Function::nvmlDeviceSetPersistenceMode:
      return true;
    default:
      return false;
  }
}

// Of its fields those alone that say what to do about it.
constexpr bool answered_before_reset(std::uint32_t field) {
  return field == FI_DEV_RESET_STATUS || field == FI_DEV_DRAIN_AND_RESET_STATUS ||
         field == FI_DEV_GET_GPU_RECOVERY_ACTION;
}

inline bool must_be_reset(const GpuSlot& slot) { return refusal_of(slot) == NVML_ERROR_RESET_REQUIRED; }

// As device_slot(), also of a GPU that must be reset.
inline const GpuSlot* slot_before_reset(const Store& store, nvmlDevice_t device) {
  const auto handle = reinterpret_cast<std::uint64_t>(device);
  if (const GpuSlot* slot = find_gpu(store, gpu_count(store), handle)) return slot;
  const GpuSlot* refusing = find_refusing_gpu(store, gpu_count(store), handle);
  return refusing != nullptr && must_be_reset(*refusing) ? refusing : nullptr;
}

}  // namespace nvmlab::driver
