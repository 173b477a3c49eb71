// SPDX-License-Identifier: Apache-2.0
//
// What a function does where MIG is on: asked of a MIG device, and asked of the GPU that is cut. In nobody's way while
// it is off: a GPU with MIG is none of those that getters find without looking closer (kPartitioned in
// engine/store/store.hpp). By NVIDIA's MIG user guide and header; which identifying calls a MIG device answers is
// assumed. Tests: tests/drivers/functions/mig_instances_test.cpp.
#pragma once

#include "drivers/nvml/generated/functions.hpp"
#include "drivers/nvml/process.hpp"
#include "drivers/nvml/shapes/reset_required.hpp"

namespace nvmlab::driver {

enum class OnMigDevice : std::uint8_t {
  refused,  // NOT_SUPPORTED: it is about a whole GPU
  parent,   // as its GPU answers
  own,      // of itself
};

constexpr OnMigDevice on_mig_device(Function function) {
  switch (function) {
    case Function::nvmlDeviceGetArchitecture:
    case Function::nvmlDeviceGetBoardId:
    case Function::nvmlDeviceGetBoardPartNumber:
    case Function::nvmlDeviceGetBrand:
    case Function::nvmlDeviceGetComputeMode:
    case Function::nvmlDeviceGetCudaComputeCapability:
    case Function::nvmlDeviceGetMaxMigDeviceCount:
    case Function::nvmlDeviceGetMinorNumber:
    case Function::nvmlDeviceGetNumaNodeId:
    case Function::nvmlDeviceGetPciInfo:
    case Function::nvmlDeviceGetPciInfo_v2:
    case Function::nvmlDeviceGetPciInfo_v3:
    case Function::nvmlDeviceGetPciInfoExt:
    case Function::nvmlDeviceGetSerial:
    case Function::nvmlDeviceGetVirtualizationMode:
    case Function::nvmlGpmQueryDeviceSupport:
      return OnMigDevice::parent;
    case Function::nvmlDeviceGetAttributes:
    case Function::nvmlDeviceGetAttributes_v2:
    case Function::nvmlDeviceGetBAR1MemoryInfo:
    case Function::nvmlDeviceGetComputeInstanceId:
    case Function::nvmlDeviceGetComputeRunningProcesses:
    case Function::nvmlDeviceGetComputeRunningProcesses_v2:
    case Function::nvmlDeviceGetComputeRunningProcesses_v3:
    case Function::nvmlDeviceGetDeviceHandleFromMigDeviceHandle:
    case Function::nvmlDeviceGetGpuInstanceId:
    case Function::nvmlDeviceGetGraphicsRunningProcesses:
    case Function::nvmlDeviceGetGraphicsRunningProcesses_v2:
    case Function::nvmlDeviceGetGraphicsRunningProcesses_v3:
    case Function::nvmlDeviceGetIndex:
    case Function::nvmlDeviceGetMPSComputeRunningProcesses:
    case Function::nvmlDeviceGetMPSComputeRunningProcesses_v2:
    case Function::nvmlDeviceGetMPSComputeRunningProcesses_v3:
    case Function::nvmlDeviceGetMemoryErrorCounter:
    case Function::nvmlDeviceGetMemoryInfo:
    case Function::nvmlDeviceGetMemoryInfo_v2:
    case Function::nvmlDeviceGetName:
    case Function::nvmlDeviceGetRunningProcessDetailList:
    case Function::nvmlDeviceGetUUID:
    case Function::nvmlDeviceIsMigDeviceHandle:
    case Function::nvmlGpmSampleGet:
      return OnMigDevice::own;
    default:
      return OnMigDevice::refused;
  }
}

enum class UnderMig : std::uint8_t {
  answered,
  refused,                 // NOT_SUPPORTED: engines are shared out, and nobody counts their sum
  refused_with_instances,  // as soon as there are some
  privileged,              // the sum over instances is for those who may look at them all
};

constexpr UnderMig under_mig(Function function) {
  switch (function) {
    case Function::nvmlDeviceGetDecoderUtilization:
    case Function::nvmlDeviceGetEncoderUtilization:
    case Function::nvmlDeviceGetJpgUtilization:
    case Function::nvmlDeviceGetNumGpuCores:
    case Function::nvmlDeviceGetOfaUtilization:
    case Function::nvmlDeviceGetProcessUtilization:
    case Function::nvmlDeviceGetProcessesUtilizationInfo:
    case Function::nvmlDeviceGetUtilizationRates:
    case Function::nvmlDeviceSetAccountingMode:
    case Function::nvmlDeviceSetComputeMode:
      return UnderMig::refused;
    case Function::nvmlDeviceGetRemappedRows:
    case Function::nvmlDeviceGetRemappedRows_v2:
      return UnderMig::refused_with_instances;
    case Function::nvmlDeviceGetBAR1MemoryInfo:
    case Function::nvmlDeviceGetComputeRunningProcesses:
    case Function::nvmlDeviceGetComputeRunningProcesses_v2:
    case Function::nvmlDeviceGetComputeRunningProcesses_v3:
    case Function::nvmlDeviceGetGraphicsRunningProcesses:
    case Function::nvmlDeviceGetGraphicsRunningProcesses_v2:
    case Function::nvmlDeviceGetGraphicsRunningProcesses_v3:
    case Function::nvmlDeviceGetMPSComputeRunningProcesses:
    case Function::nvmlDeviceGetMPSComputeRunningProcesses_v2:
    case Function::nvmlDeviceGetMPSComputeRunningProcesses_v3:
    case Function::nvmlDeviceGetMemoryInfo:
    case Function::nvmlDeviceGetMemoryInfo_v2:
    case Function::nvmlDeviceGetRunningProcessDetailList:
      return UnderMig::privileged;
    default:
      return UnderMig::answered;
  }
}

// What a call asks about a device that getters do not find without looking closer.
struct Target {
  OnMigDevice on_mig_device;
  UnderMig under_mig;
  bool before_reset;  // also of a GPU that must be reset
};
template <Function F>
inline constexpr Target kTarget{on_mig_device(F), under_mig(F), answered_before_reset(F)};

// What a device handle is of: a GPU, or one of its MIG devices. Both ids lie in one word of eight bytes, as they are
// copied by one: across two words, every call would wait until both are written.
struct Subject {
  const GpuSlot* slot = nullptr;
  std::uint32_t gpu_instance = kNoInstance;
  std::uint32_t compute_instance = kNoInstance;
  std::uint32_t index = 0;  // of the GPU
};

// Steps 4 and 5 of the prologue for any handle.
nvmlReturn_t find_subject(const Store& store, nvmlDevice_t device, const Target& target, Subject* subject);

}  // namespace nvmlab::driver
