// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/hooks/fetch.hpp"

namespace nvmlab::driver {
namespace {

template <class Info>
void fill_registration(const Fabric& fabric, Info* info) {
  std::memcpy(info->clusterUuid, fabric.cluster_uuid.data, sizeof info->clusterUuid);
  info->status = static_cast<nvmlReturn_t>(fabric.status.value_or(0));
  info->cliqueId = fabric.clique_id.value_or(0);
  info->state = static_cast<nvmlGpuFabricState_t>(fabric.state.value);
}

}  // namespace

namespace hooks {

// Without a list of its own a GPU has the two kinds of access that Hopper reports, both with its one clique.
nvmlReturn_t nvmlDeviceGetGpuFabricInfo_v4(const Device& gpu, nvmlGpuFabricInfo_v4_t* gpuFabricInfo) {
  Fabric fabric{};
  fetch_into(gpu, &Gpu::fabric, fabric);
  if (!fabric.state.has_value()) return code_of(fabric.state.code());
  std::memset(gpuFabricInfo, 0, sizeof *gpuFabricInfo);
  std::memcpy(gpuFabricInfo->clusterUuid, fabric.cluster_uuid.data, sizeof gpuFabricInfo->clusterUuid);
  gpuFabricInfo->status = code_of(fabric.status.value_or(0));
  gpuFabricInfo->state = static_cast<nvmlGpuFabricState_t>(fabric.state.value);
  gpuFabricInfo->healthMask = fabric.health_mask.value_or(0);
  gpuFabricInfo->healthSummary = static_cast<unsigned char>(fabric.health_summary.value_or(0));
  const auto add = [gpuFabricInfo](std::uint32_t type, std::uint32_t id) {
    gpuFabricInfo->cliques[gpuFabricInfo->numCliques++] = {static_cast<unsigned char>(type), id};
  };
  if (fabric.cliques.size() == 0 && fabric.clique_id.has_value()) {
    add(GPU_FABRIC_CLIQUE_TYPE_UNICAST_POINTER, fabric.clique_id.value);
    add(GPU_FABRIC_CLIQUE_TYPE_MULTICAST_POINTER, fabric.clique_id.value);
  }
  for (const Fabric::Clique& clique : fabric.cliques)
    add(clique.type.value, clique.id.value);
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
