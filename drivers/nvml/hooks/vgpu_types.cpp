// SPDX-License-Identifier: Apache-2.0
//
// vGPU types: what a host can lend out, and what of it now. Tests: tests/drivers/functions/vgpu_host_test.cpp.
#include "drivers/nvml/hooks/vgpu.hpp"

namespace nvmlab::driver {
namespace {

VgpuLoad load_of(const Store& store, const VgpuTypes& types, std::uint32_t gpu) {
  return consistent(store.node, [&](const Node& node) { return vgpu_load(node.vgpu, types, gpu); });
}

// Version 1 of a list of placements counts out only, and tells of the mode that the GPU is in.
struct WantedPlacements {
  nvmlVgpuPlacementList_v2_t* list;
  bool heterogeneous;
  bool counts_in;
};
WantedPlacements wanted(const Device& gpu, nvmlVgpuPlacementList_v2_t* list) {
  const bool newest = list->version == version_of<nvmlVgpuPlacementList_v2_t>;
  const bool mode = newest ? list->mode == VGPU_PGPU_HETEROGENEOUS_MODE : heterogeneous_vgpus(gpu.store, gpu.index);
  return {list, mode, newest};
}

nvmlReturn_t give_placements(const VgpuType& type, const Placements& found, const WantedPlacements& to) {
  const unsigned int room = to.list->count;
  to.list->placementSize = type.placement_size();
  to.list->count = found.count;
  if (to.counts_in && room < found.count) return NVML_ERROR_INSUFFICIENT_SIZE;
  if (to.list->placementIds == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  for (std::uint32_t i = 0; i < found.count; ++i)
    to.list->placementIds[i] = found.ids[i];
  return NVML_SUCCESS;
}

// Boards without placements, and types in GPU instances, have none to tell.
template <class Find>
nvmlReturn_t ask_placements(const Device& gpu, nvmlVgpuTypeId_t id, nvmlVgpuPlacementList_v2_t* list, Find&& find) {
  return ask_type_of(gpu, id, [&](const VgpuTypes& types, const VgpuType& type) {
    if (!types.sriov() || type.placement_size() == 0) return NVML_ERROR_NOT_SUPPORTED;
    const WantedPlacements to = wanted(gpu, list);
    return give_placements(type, find(types, type, to.heterogeneous), to);
  });
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetSupportedVgpus(const Device& gpu, unsigned int* vgpuCount, nvmlVgpuTypeId_t* vgpuTypeIds) {
  if (!hosts_vgpus(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  NumberList list(vgpuCount, vgpuTypeIds);
  const VgpuTypes types(gpu.store, gpu.index);
  VgpuType type{};
  for (std::uint32_t i = 0; types.at(i, &type); ++i)
    list.add(type.id);
  return list.finish();
}

nvmlReturn_t nvmlDeviceGetCreatableVgpus(const Device& gpu, unsigned int* vgpuCount, nvmlVgpuTypeId_t* vgpuTypeIds) {
  if (!hosts_vgpus(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  NumberList list(vgpuCount, vgpuTypeIds);
  const VgpuTypes types(gpu.store, gpu.index);
  const VgpuLoad load = load_of(gpu.store, types, gpu.index);
  const VgpuHost host{gpu.store, gpu.index, heterogeneous_vgpus(gpu.store, gpu.index)};
  VgpuType type{};
  for (std::uint32_t i = 0; types.at(i, &type); ++i) {
    if (vgpu_creatable(type, types, load, host) == kSuccess) list.add(type.id);
  }
  return list.finish();
}

nvmlReturn_t nvmlGpuInstanceGetCreatableVgpus(Store& node, nvmlGpuInstance_t gpuInstance,
                                              nvmlVgpuTypeIdInfo_t* pVgpus) {
  return ask_gpu_instance(node, gpuInstance, [&](const Device& gpu, const MigGpuInstance& in) {
    NumberList list(&pVgpus->vgpuCount, pVgpus->vgpuTypeIds);
    const VgpuTypes types(gpu.store, gpu.index);
    const VgpuLoad load = load_of(gpu.store, types, gpu.index);
    VgpuType type{};
    for (std::uint32_t i = 0; types.at(i, &type); ++i) {
      if ((free_gpu_instances(gpu.store, gpu.index, type, load) >> (in.id & 31) & 1) != 0) list.add(type.id);
    }
    return list.finish();
  });
}

nvmlReturn_t nvmlDeviceGetVgpuTypeSupportedPlacements(const Device& gpu, nvmlVgpuTypeId_t vgpuTypeId,
                                                      nvmlVgpuPlacementList_v2_t* pPlacementList) {
  return ask_placements(gpu, vgpuTypeId, pPlacementList,
                        [](const VgpuTypes& types, const VgpuType& type, bool heterogeneous) {
                          return supported_placements(type, types.gib(), heterogeneous);
                        });
}

nvmlReturn_t nvmlDeviceGetVgpuTypeCreatablePlacements(const Device& gpu, nvmlVgpuTypeId_t vgpuTypeId,
                                                      nvmlVgpuPlacementList_v2_t* pPlacementList) {
  return ask_placements(gpu, vgpuTypeId, pPlacementList,
                        [&gpu](const VgpuTypes& types, const VgpuType& type, bool heterogeneous) {
                          const VgpuLoad load = load_of(gpu.store, types, gpu.index);
                          return creatable_placements(type, types, load, heterogeneous);
                        });
}

nvmlReturn_t nvmlVgpuTypeGetName(Store& node, nvmlVgpuTypeId_t vgpuTypeId, char* vgpuTypeName, unsigned int* size) {
  return ask_type(node, vgpuTypeId,
                  [=](const VgpuType& type) { return put_sized_text(vgpuTypeName, size, type.name); });
}

nvmlReturn_t nvmlVgpuTypeGetClass(Store& node, nvmlVgpuTypeId_t vgpuTypeId, char* vgpuTypeClass, unsigned int* size) {
  return ask_type(node, vgpuTypeId,
                  [=](const VgpuType& type) { return put_sized_text(vgpuTypeClass, size, type.vgpu_class); });
}

nvmlReturn_t nvmlVgpuTypeGetLicense(Store& node, nvmlVgpuTypeId_t vgpuTypeId, char* vgpuTypeLicenseString,
                                    unsigned int size) {
  return ask_type(node, vgpuTypeId,
                  [=](const VgpuType& type) { return put_text(vgpuTypeLicenseString, size, type.license); });
}

nvmlReturn_t nvmlVgpuTypeGetDeviceID(Store& node, nvmlVgpuTypeId_t vgpuTypeId, unsigned long long* deviceID,
                                     unsigned long long* subsystemID) {
  return ask_type(node, vgpuTypeId, [=](const VgpuType& type) {
    *deviceID = type.device_id;
    *subsystemID = type.subsystem_id;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlVgpuTypeGetFramebufferSize(Store& node, nvmlVgpuTypeId_t vgpuTypeId, unsigned long long* fbSize) {
  return ask_type(node, vgpuTypeId, [=](const VgpuType& type) {
    *fbSize = type.fb_bytes;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlVgpuTypeGetFbReservation(Store& node, nvmlVgpuTypeId_t vgpuTypeId, unsigned long long* fbReservation) {
  return ask_type(node, vgpuTypeId, [=](const VgpuType& type) {
    *fbReservation = type.reserved_bytes();
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlVgpuTypeGetNumDisplayHeads(Store& node, nvmlVgpuTypeId_t vgpuTypeId, unsigned int* numDisplayHeads) {
  return ask_type(node, vgpuTypeId, [=](const VgpuType& type) {
    *numDisplayHeads = type.display_heads;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlVgpuTypeGetResolution(Store& node, nvmlVgpuTypeId_t vgpuTypeId, unsigned int displayIndex,
                                       unsigned int* xdim, unsigned int* ydim) {
  return ask_type(node, vgpuTypeId, [=](const VgpuType& type) {
    if (displayIndex >= type.display_heads) return NVML_ERROR_INVALID_ARGUMENT;
    *xdim = type.max_width;
    *ydim = type.max_height;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlVgpuTypeGetFrameRateLimit(Store& node, nvmlVgpuTypeId_t vgpuTypeId, unsigned int* frameRateLimit) {
  return ask_type(node, vgpuTypeId, [=](const VgpuType& type) {
    if (type.frame_rate_limit == 0) return NVML_ERROR_NOT_SUPPORTED;
    *frameRateLimit = type.frame_rate_limit;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlVgpuTypeGetGpuInstanceProfileId(Store& node, nvmlVgpuTypeId_t vgpuTypeId,
                                                 unsigned int* gpuInstanceProfileId) {
  return ask_type(node, vgpuTypeId, [=](const VgpuType& type) {
    *gpuInstanceProfileId = type.gpu_instance_profile;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlVgpuTypeGetMaxInstances(const Device& gpu, nvmlVgpuTypeId_t vgpuTypeId,
                                         unsigned int* vgpuInstanceCount) {
  return ask_type_of(gpu, vgpuTypeId, [=](const VgpuTypes&, const VgpuType& type) {
    *vgpuInstanceCount = type.max_instances;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlVgpuTypeGetMaxInstancesPerVm(Store& node, nvmlVgpuTypeId_t vgpuTypeId,
                                              unsigned int* vgpuInstanceCountPerVm) {
  return ask_type(node, vgpuTypeId, [=](const VgpuType& type) {
    *vgpuInstanceCountPerVm = type.max_per_vm;
    return NVML_SUCCESS;
  });
}

// One has a GPU instance to itself; types that share time need no GPU instance.
nvmlReturn_t nvmlVgpuTypeGetMaxInstancesPerGpuInstance(Store& node, nvmlVgpuTypeMaxInstance_t* pMaxInstance) {
  return ask_type(node, pMaxInstance->vgpuTypeId, [=](const VgpuType& type) {
    if (!type.backed_by_mig()) return NVML_ERROR_NOT_SUPPORTED;
    pMaxInstance->maxInstancePerGI = 1;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlVgpuTypeGetCapabilities(Store& node, nvmlVgpuTypeId_t vgpuTypeId, nvmlVgpuCapability_t capability,
                                         unsigned int* capResult) {
  return ask_type(node, vgpuTypeId, [=](const VgpuType& type) {
    const auto bit = static_cast<std::uint32_t>(capability);
    if (bit >= NVML_VGPU_CAP_COUNT) return NVML_ERROR_INVALID_ARGUMENT;
    *capResult = type.capabilities >> bit & 1;
    return NVML_SUCCESS;
  });
}

// vgpuConfig.xml of 510 has 4 GiB for the compute series, 256 MiB for all others.
nvmlReturn_t nvmlVgpuTypeGetBAR1Info(Store& node, nvmlVgpuTypeId_t vgpuTypeId, nvmlVgpuTypeBar1Info_t* bar1Info) {
  return ask_type(node, vgpuTypeId, [=](const VgpuType& type) {
    bar1Info->bar1Size = std::strcmp(type.vgpu_class, "Compute") == 0 ? 4096 : 256;
    return NVML_SUCCESS;
  });
}

// How much of the frame buffer the firmware takes for a vGPU is not public.
nvmlReturn_t nvmlVgpuTypeGetGspHeapSize(Store& node, nvmlVgpuTypeId_t vgpuTypeId, unsigned long long*) {
  return ask_type(node, vgpuTypeId, [](const VgpuType&) { return NVML_ERROR_NOT_SUPPORTED; });
}

}  // namespace hooks
}  // namespace nvmlab::driver
