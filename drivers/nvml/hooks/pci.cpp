// SPDX-License-Identifier: Apache-2.0
//
// nvmlPciInfo_t grew: callers of the first two versions allocate less than the struct of today, and only its first 36
// bytes (the short bus id and five numbers) are theirs to be written.
#include "engine/topics/pci/pci_address.hpp"

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/hooks/pci.hpp"

namespace nvmlab::driver {

PciAddress address_of(const Pci& pci) { return {pci.domain.value, pci.bus.value, pci.device.value, 0}; }

void fill_pci_info_v2(const Pci& pci, nvmlPciInfo_t* info) {
  char text[17];
  format_pci_address(address_of(pci), 4, text);
  std::memset(info->busIdLegacy, 0, sizeof info->busIdLegacy);
  std::memcpy(info->busIdLegacy, text, std::strlen(text));
  info->domain = pci.domain.value;
  info->bus = pci.bus.value;
  info->device = pci.device.value;
  info->pciDeviceId = pci.device_id.value_or(0);
  info->pciSubSystemId = pci.subsystem_id.value_or(0);
}

void fill_pci_info(const Pci& pci, nvmlPciInfo_t* info) {
  fill_pci_info_v2(pci, info);
  char text[17];
  format_pci_address(address_of(pci), 8, text);
  std::memset(info->busId, 0, sizeof info->busId);
  std::memcpy(info->busId, text, std::strlen(text));
}

namespace hooks {

nvmlReturn_t nvmlDeviceGetPciInfo_v3(const Device& gpu, nvmlPciInfo_t* pci) {
  const Pci state = fetch(gpu, &Gpu::pci);
  if (!state.bus.has_value()) return code_of(state.bus.code());
  fill_pci_info(state, pci);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPciInfo_v2(const Device& gpu, nvmlPciInfo_t* pci) {
  const Pci state = fetch(gpu, &Gpu::pci);
  if (!state.bus.has_value()) return code_of(state.bus.code());
  fill_pci_info_v2(state, pci);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPciInfo(const Device& gpu, nvmlPciInfo_t* pci) { return nvmlDeviceGetPciInfo_v2(gpu, pci); }

nvmlReturn_t nvmlDeviceGetPciInfoExt(const Device& gpu, nvmlPciInfoExt_t* pci) {
  const Pci state = fetch(gpu, &Gpu::pci);
  if (!state.bus.has_value()) return code_of(state.bus.code());
  pci->domain = state.domain.value;
  pci->bus = state.bus.value;
  pci->device = state.device.value;
  pci->pciDeviceId = state.device_id.value_or(0);
  pci->pciSubSystemId = state.subsystem_id.value_or(0);
  pci->baseClass = state.base_class.value_or(0);
  pci->subClass = state.sub_class.value_or(0);
  char text[17];
  format_pci_address(address_of(state), 8, text);
  std::memset(pci->busId, 0, sizeof pci->busId);
  std::memcpy(pci->busId, text, std::strlen(text));
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetBoardId(const Device& gpu, unsigned int* boardId) {
  const Pci state = fetch(gpu, &Gpu::pci);
  if (!state.bus.has_value()) return code_of(state.bus.code());
  *boardId = state.domain.value << 16 | state.bus.value << 8 | state.device.value;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetBridgeChipInfo(const Device& gpu, nvmlBridgeChipHierarchy_t* bridgeHierarchy) {
  const Pci state = fetch(gpu, &Gpu::pci);
  if (state.bridges.size() == 0) return NVML_ERROR_NOT_SUPPORTED;
  bridgeHierarchy->bridgeCount = static_cast<unsigned char>(state.bridges.size());
  for (std::uint32_t i = 0; i < state.bridges.size() && i < MAX_PHYSICAL_BRIDGE; ++i) {
    bridgeHierarchy->bridgeChipInfo[i].type = static_cast<nvmlBridgeChipType_t>(state.bridges[i].type.value);
    bridgeHierarchy->bridgeChipInfo[i].fwVersion = state.bridges[i].firmware.value;
  }
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetBusType(const Device&, nvmlBusType_t* type) {
  *type = BUS_TYPE_PCIE;
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
