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

}  // namespace hooks
}  // namespace nvmlab::driver
