// SPDX-License-Identifier: Apache-2.0
//
// Taking GPUs out of service: draining hides a GPU from processes that start, removing takes it off the machine for
// all, discovering brings removed ones back, initialised anew. GPUs are named by domain, bus and device, because a
// removed one has no handle. Tests: tests/drivers/functions/drain_test.cpp, tests/clients/smi_drain_test.cpp.
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"
#include "engine/topics/pci/pci_address.hpp"

namespace nvmlab::driver {
namespace {

bool at(const GpuSlot& slot, const nvmlPciInfo_t& place) {
  const PciAddress own = address_of(fetch(slot, &Gpu::pci));
  return own.domain == place.domain && own.bus == place.bus && own.device == place.device;
}

const GpuSlot* find_present(Store& node, const nvmlPciInfo_t& place) {
  for (std::uint32_t i = 0; i < gpu_count(node); ++i) {
    const GpuSlot& slot = node.gpus()[i];
    if (present(slot) && at(slot, place)) return &slot;
  }
  return nullptr;
}

Device device_of(Store& node, const GpuSlot& slot) {
  return {node, slot, static_cast<std::uint32_t>(&slot - node.slots())};
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceModifyDrainState(Store& node, nvmlPciInfo_t* pciInfo, nvmlEnableState_t newState) {
  const GpuSlot* slot = find_present(node, *pciInfo);
  if (slot == nullptr || (newState != NVML_FEATURE_DISABLED && newState != NVML_FEATURE_ENABLED))
    return NVML_ERROR_INVALID_ARGUMENT;
  return apply(device_of(node, *slot), SetDrain{static_cast<std::uint32_t>(newState)});
}

nvmlReturn_t nvmlDeviceQueryDrainState(Store& node, nvmlPciInfo_t* pciInfo, nvmlEnableState_t* currentState) {
  const GpuSlot* slot = find_present(node, *pciInfo);
  if (slot == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return give(read_field(*slot, &Gpu::modes, &Modes::drain), currentState);
}

// Only a GPU that drains and that nothing holds goes. Whether its link is shut down too makes no difference here: the
// scan that discovers it trains the link again, and nvidia-smi has it shut down each time.
nvmlReturn_t nvmlDeviceRemoveGpu_v2(Store& node, nvmlPciInfo_t* pciInfo, nvmlDetachGpuState_t gpuState,
                                    nvmlPcieLinkState_t linkState) {
  const GpuSlot* slot = find_present(node, *pciInfo);
  const bool known_states = (gpuState == NVML_DETACH_GPU_KEEP || gpuState == NVML_DETACH_GPU_REMOVE) &&
                            (linkState == NVML_PCIE_LINK_KEEP || linkState == NVML_PCIE_LINK_SHUT_DOWN);
  if (slot == nullptr || !known_states) return NVML_ERROR_INVALID_ARGUMENT;
  return apply(device_of(node, *slot), RemoveGpu{});
}

// All zeroes: the whole tree; else one place.
nvmlReturn_t nvmlDeviceDiscoverGpus(Store& node, nvmlPciInfo_t* pciInfo) {
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  const bool everywhere = pciInfo->domain == 0 && pciInfo->bus == 0 && pciInfo->device == 0;
  for (std::uint32_t i = 0; i < gpu_count(node); ++i) {
    const GpuSlot& slot = node.gpus()[i];
    if (present(slot) || (!everywhere && !at(slot, *pciInfo))) continue;
    if (const nvmlReturn_t code = apply(Device{node, slot, i}, ReturnGpu{}); code != NVML_SUCCESS) return code;
  }
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
