// SPDX-License-Identifier: Apache-2.0
//
// vGPUs that run on a host: whose they are, what they hold, and the licence of their guest.
// Tests: tests/drivers/functions/vgpu_host_test.cpp.
#include "drivers/nvml/hooks/vgpu.hpp"

namespace nvmlab::driver {

// The civil calendar, counted from 1 March of the year 0, so that leap days come last.
Date date_of(std::uint64_t seconds) {
  constexpr std::uint64_t per_day = 86400;
  constexpr std::uint64_t days_to_1970 = 719468;
  const std::uint64_t latest = per_day * 1'000'000;  // what a year of four digits never reaches is cut off
  const std::uint64_t bounded = seconds < latest ? seconds : latest;
  const std::uint64_t days = bounded / per_day + days_to_1970;
  const std::uint64_t era = days / 146097;
  const std::uint64_t day_of_era = days % 146097;
  const std::uint64_t year = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::uint64_t day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
  const std::uint64_t shifted_month = (5 * day_of_year + 2) / 153;
  const std::uint64_t month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  const std::uint64_t rest = bounded % per_day;
  return {static_cast<std::uint32_t>(year + era * 400 + (month <= 2 ? 1 : 0)),
          static_cast<std::uint32_t>(month),
          static_cast<std::uint32_t>(day_of_year - (153 * shifted_month + 2) / 5 + 1),
          static_cast<std::uint32_t>(rest / 3600),
          static_cast<std::uint32_t>(rest / 60 % 60),
          static_cast<std::uint32_t>(rest % 60)};
}

namespace hooks {

nvmlReturn_t nvmlDeviceGetActiveVgpus(const Device& gpu, unsigned int* vgpuCount, nvmlVgpuInstance_t* vgpuInstances) {
  if (!hosts_vgpus(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  NumberList list(vgpuCount, vgpuInstances);
  consistent(gpu.store.node, [&](const Node& node) {
    list.start_over();
    return visit_until(node.vgpu.instances, [&](const VgpuInstance& each) {
      if (load(each.gpu).value_or(~0U) == gpu.index) list.add(load(each.id).value_or(0));
      return false;
    });
  });
  return list.finish();
}

nvmlReturn_t nvmlGpuInstanceGetActiveVgpus(Store& node, nvmlGpuInstance_t gpuInstance,
                                           nvmlActiveVgpuInstanceInfo_t* pVgpuInstanceInfo) {
  return ask_gpu_instance(node, gpuInstance, [&](const Device& gpu, const MigGpuInstance& in) {
    NumberList list(&pVgpuInstanceInfo->vgpuCount, pVgpuInstanceInfo->vgpuInstances);
    consistent(gpu.store.node, [&](const Node& state) {
      list.start_over();
      return visit_until(state.vgpu.instances, [&](const VgpuInstance& each) {
        const bool here = load(each.gpu).value_or(~0U) == gpu.index && load(each.gpu_instance).value_or(~0U) == in.id;
        if (here) list.add(load(each.id).value_or(0));
        return false;
      });
    });
    return list.finish();
  });
}

nvmlReturn_t nvmlVgpuInstanceGetVmID(Store& node, nvmlVgpuInstance_t vgpuInstance, char* vmId, unsigned int size,
                                     nvmlVgpuVmIdType_t* vmIdType) {
  return ask_vgpu(node, vgpuInstance, [=](const VgpuInstance& vgpu) {
    if (!vgpu.vm_id.has_value()) return code_of(vgpu.vm_id.code());
    *vmIdType = static_cast<nvmlVgpuVmIdType_t>(vgpu.vm_id_type.value_or(NVML_VGPU_VM_ID_UUID));
    return put_text(vmId, size, vgpu.vm_id.data);
  });
}

nvmlReturn_t nvmlVgpuInstanceGetUUID(Store& node, nvmlVgpuInstance_t vgpuInstance, char* uuid, unsigned int size) {
  return ask_vgpu(node, vgpuInstance, [=](const VgpuInstance& vgpu) {
    return vgpu.uuid.has_value() ? put_text(uuid, size, vgpu.uuid.data) : code_of(vgpu.uuid.code());
  });
}

nvmlReturn_t nvmlVgpuInstanceGetMdevUUID(Store& node, nvmlVgpuInstance_t vgpuInstance, char* mdevUuid,
                                         unsigned int size) {
  return ask_vgpu(node, vgpuInstance, [=](const VgpuInstance& vgpu) {
    return vgpu.mdev_uuid.has_value() ? put_text(mdevUuid, size, vgpu.mdev_uuid.data) : code_of(vgpu.mdev_uuid.code());
  });
}

// A guest that has not booted has no driver yet, and NVML has words for that.
nvmlReturn_t nvmlVgpuInstanceGetVmDriverVersion(Store& node, nvmlVgpuInstance_t vgpuInstance, char* version,
                                                unsigned int length) {
  return ask_vgpu(node, vgpuInstance, [=](const VgpuInstance& vgpu) {
    return put_text(version, length, vgpu.guest_driver.has_value() ? vgpu.guest_driver.data : "Not Available");
  });
}

nvmlReturn_t nvmlVgpuInstanceGetGpuPciId(Store& node, nvmlVgpuInstance_t vgpuInstance, char* vgpuPciId,
                                         unsigned int* length) {
  return ask_vgpu(node, vgpuInstance, [=](const VgpuInstance& vgpu) {
    return vgpu.pci_bus_id.has_value() ? put_sized_text(vgpuPciId, length, vgpu.pci_bus_id.data)
                                       : code_of(vgpu.pci_bus_id.code());
  });
}

nvmlReturn_t nvmlVgpuInstanceGetType(Store& node, nvmlVgpuInstance_t vgpuInstance, nvmlVgpuTypeId_t* vgpuTypeId) {
  return ask_vgpu(node, vgpuInstance, [=](const VgpuInstance& vgpu) { return give(vgpu.type, vgpuTypeId); });
}

nvmlReturn_t nvmlVgpuInstanceGetFbUsage(Store& node, nvmlVgpuInstance_t vgpuInstance, unsigned long long* fbUsage) {
  return ask_vgpu(node, vgpuInstance, [=](const VgpuInstance& vgpu) { return give(vgpu.used_bytes, fbUsage); });
}

nvmlReturn_t nvmlVgpuInstanceGetFrameRateLimit(Store& node, nvmlVgpuInstance_t vgpuInstance,
                                               unsigned int* frameRateLimit) {
  return ask_vgpu(node, vgpuInstance,
                  [=](const VgpuInstance& vgpu) { return give(vgpu.frame_rate_limit, frameRateLimit); });
}

nvmlReturn_t nvmlVgpuInstanceGetEncoderCapacity(Store& node, nvmlVgpuInstance_t vgpuInstance,
                                                unsigned int* encoderCapacity) {
  return ask_vgpu(node, vgpuInstance,
                  [=](const VgpuInstance& vgpu) { return give(vgpu.encoder_capacity, encoderCapacity); });
}

nvmlReturn_t nvmlVgpuInstanceSetEncoderCapacity(Store& node, nvmlVgpuInstance_t vgpuInstance,
                                                unsigned int encoderCapacity) {
  if (vgpuInstance == 0) return NVML_ERROR_INVALID_ARGUMENT;
  return apply_change(node, vgpu_change(SetVgpuEncoderCapacity{vgpuInstance, encoderCapacity}));
}

nvmlReturn_t nvmlVgpuInstanceGetGpuInstanceId(Store& node, nvmlVgpuInstance_t vgpuInstance,
                                              unsigned int* gpuInstanceId) {
  return ask_vgpu(node, vgpuInstance, [=](const VgpuInstance& vgpu) {
    *gpuInstanceId = vgpu.gpu_instance.value_or(INVALID_GPU_INSTANCE_ID_);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlVgpuInstanceGetPlacementId(Store& node, nvmlVgpuInstance_t vgpuInstance,
                                            nvmlVgpuPlacementId_v1_t* pPlacement) {
  return ask_vgpu(node, vgpuInstance,
                  [=](const VgpuInstance& vgpu) { return give(vgpu.placement, &pPlacement->placementId); });
}

// What the board's memory has, where the series has it at all.
nvmlReturn_t nvmlVgpuInstanceGetEccMode(Store& node, nvmlVgpuInstance_t vgpuInstance, nvmlEnableState_t* eccMode) {
  return ask_vgpu_and_type(node, vgpuInstance, [&](const VgpuInstance& vgpu, const VgpuType& type) {
    const Fact<std::uint32_t> mode = peek_field(node, vgpu.gpu.value_or(0), &Gpu::ecc, &Ecc::mode);
    if (!mode.has_value() || std::strcmp(type.vgpu_class, "NVS") == 0) return NVML_ERROR_NOT_SUPPORTED;
    *eccMode = static_cast<nvmlEnableState_t>(mode.value);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlVgpuInstanceGetLicenseStatus(Store& node, nvmlVgpuInstance_t vgpuInstance, unsigned int* licensed) {
  return ask_vgpu(node, vgpuInstance, [=](const VgpuInstance& vgpu) {
    *licensed = vgpu.license_state.value_or(0) == GRID_LICENSE_STATE_LICENSED ? 1 : 0;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlVgpuInstanceGetLicenseInfo_v2(Store& node, nvmlVgpuInstance_t vgpuInstance,
                                               nvmlVgpuLicenseInfo_t* licenseInfo) {
  return ask_vgpu(node, vgpuInstance, [=](const VgpuInstance& vgpu) {
    if (!vgpu.license_state.has_value()) return code_of(vgpu.license_state.code());
    licenseInfo->currentState = vgpu.license_state.value;
    licenseInfo->isLicensed = vgpu.license_state.value == GRID_LICENSE_STATE_LICENSED ? 1 : 0;
    put_expiry(vgpu.license_expiry, vgpu.license_expires_s, licenseInfo->licenseExpiry);
    return NVML_SUCCESS;
  });
}

// How much a vGPU carries along when it moves is not public.
nvmlReturn_t nvmlVgpuInstanceGetRuntimeStateSize(Store& node, nvmlVgpuInstance_t vgpuInstance,
                                                 nvmlVgpuRuntimeState_t*) {
  return ask_vgpu(node, vgpuInstance, [](const VgpuInstance&) { return NVML_ERROR_NOT_SUPPORTED; });
}

}  // namespace hooks
}  // namespace nvmlab::driver
