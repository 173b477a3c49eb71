// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/topology/path.hpp"

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/hooks/topology.hpp"
#include "drivers/nvml/visible_gpus.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::driver {
namespace {

using Mask = decltype(Topology::cpu_affinity);

// Protocol D: a count of zero asks how many; any other takes that many at most.
template <class Matches>
nvmlReturn_t list_devices(Store& store, unsigned int* count, nvmlDevice_t* devices, const Matches& matches) {
  std::uint32_t found = 0;
  const std::uint32_t offered = *count;
  if (offered > 0 && devices == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  for (const GpuSlot& slot : VisibleGpus{store}) {
    if (!matches(slot)) continue;
    if (found < offered) devices[found] = reinterpret_cast<nvmlDevice_t>(handle_of(slot));
    ++found;
  }
  *count = offered == 0 || found < offered ? found : offered;
  return NVML_SUCCESS;
}

nvmlGpuTopologyLevel_t level_of(PathLevel path) {
  switch (path) {
    case PathLevel::same_switch:
      return NVML_TOPOLOGY_SINGLE;
    case PathLevel::several_switches:
      return NVML_TOPOLOGY_MULTIPLE;
    case PathLevel::host_bridge:
      return NVML_TOPOLOGY_HOSTBRIDGE;
    case PathLevel::numa_node:
      return NVML_TOPOLOGY_NODE;
    case PathLevel::system:
      break;
  }
  return NVML_TOPOLOGY_SYSTEM;
}

bool near_cpu(const GpuSlot& slot, unsigned int cpu) {
  const Mask mask = read_field(slot, &Gpu::topology, &Topology::cpu_affinity);
  const std::uint32_t word = cpu / 64;
  return word < mask.size() && (mask[word] >> (cpu % 64) & 1) != 0;
}

}  // namespace

std::uint32_t nvlinks_between_slots(const GpuSlot& a, const GpuSlot& b) {
  const Pci other = fetch(b, &Gpu::pci);
  const LinkCount of_a = consistent(a, [&other](const Gpu& gpu) { return count_links(gpu.nvlink, other); });
  const std::uint32_t switched = consistent(b, [](const Gpu& gpu) { return switched_links(gpu.nvlink); });
  return nvlinks_between(of_a, switched);
}

namespace hooks {

nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(const Device& gpu, nvmlDevice_t device2,
                                                 nvmlGpuTopologyLevel_t* pathInfo) {
  const GpuSlot* other = device_slot(gpu.store, device2);
  if (other == nullptr) return no_device(gpu.store, device2);
  if (other == &gpu.slot) return NVML_ERROR_NOT_SUPPORTED;
  *pathInfo = level_of(pci_path(fetch(gpu, &Gpu::topology), fetch(*other, &Gpu::topology)));
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetTopologyNearestGpus(const Device& gpu, nvmlGpuTopologyLevel_t level, unsigned int* count,
                                              nvmlDevice_t* deviceArray) {
  const Topology own = fetch(gpu, &Gpu::topology);
  return list_devices(gpu.store, count, deviceArray, [&](const GpuSlot& slot) {
    return &slot != &gpu.slot && level_of(pci_path(own, fetch(slot, &Gpu::topology))) == level;
  });
}

nvmlReturn_t nvmlSystemGetTopologyGpuSet(Store& node, unsigned int cpuNumber, unsigned int* count,
                                         nvmlDevice_t* deviceArray) {
  return list_devices(node, count, deviceArray, [cpuNumber](const GpuSlot& slot) { return near_cpu(slot, cpuNumber); });
}

nvmlReturn_t nvmlDeviceGetP2PStatus(const Device& gpu, nvmlDevice_t device2, nvmlGpuP2PCapsIndex_t p2pIndex,
                                    nvmlGpuP2PStatus_t* p2pStatus) {
  const GpuSlot* other = device_slot(gpu.store, device2);
  if (other == nullptr) return no_device(gpu.store, device2);
  const bool known = static_cast<unsigned int>(p2pIndex) < NVML_P2P_CAPS_INDEX_UNKNOWN;
  if (other == &gpu.slot) {  // as an H200 answers (docs/reference/hardware.md); NCCL requires SUCCESS
    *p2pStatus = known ? NVML_P2P_STATUS_NOT_SUPPORTED : NVML_P2P_STATUS_OK;
    return NVML_SUCCESS;
  }
  if (!known) return NVML_ERROR_INVALID_ARGUMENT;
  const bool linked = nvlinks_between_slots(gpu.slot, *other) > 0;
  const PathLevel path = pci_path(fetch(gpu, &Gpu::topology), fetch(*other, &Gpu::topology));
  const bool over_pci = reach_over_pci(path, read_field(gpu.slot, &Gpu::pci, &Pci::peer_access),
                                       read_field(*other, &Gpu::pci, &Pci::peer_access));
  const bool ok = p2pIndex == NVML_P2P_CAPS_INDEX_NVLINK ? linked
                  : p2pIndex == NVML_P2P_CAPS_INDEX_PCI  ? over_pci
                                                         : linked || over_pci;
  *p2pStatus = ok ? NVML_P2P_STATUS_OK : NVML_P2P_STATUS_CHIPSET_NOT_SUPPORTED;
  return NVML_SUCCESS;
}

// The calling thread goes to the CPUs next to the GPU, as far as this machine has them and the thread may use them.
nvmlReturn_t nvmlDeviceSetCpuAffinity(const Device& gpu) {
  const Mask mask = read_field(gpu.slot, &Gpu::topology, &Topology::cpu_affinity);
  if (mask.size() == 0) return NVML_ERROR_NOT_SUPPORTED;
  return sys::bind_thread(mask.items, mask.size()) ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}

nvmlReturn_t nvmlDeviceClearCpuAffinity(const Device&) {
  std::uint64_t all[Mask::capacity];
  for (std::uint64_t& word : all)
    word = ~std::uint64_t{0};
  return sys::bind_thread(all, Mask::capacity) ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}

}  // namespace hooks
}  // namespace nvmlab::driver
