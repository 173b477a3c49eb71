// SPDX-License-Identifier: Apache-2.0
// What one link says of itself. Tests: tests/drivers/functions/nvlink_test.cpp.
#include "drivers/nvml/hooks/nvlink.hpp"

#include "drivers/nvml/hooks/pci.hpp"

namespace nvmlab::driver {

using Link = Nvlink::Link;

std::uint32_t link_limit() {
  constexpr std::uint32_t first_with_18 = 520;
  constexpr std::uint32_t first_with_36 = 610;
  const std::uint32_t driver = simulated_driver().major;
  if (driver < first_with_18) return 12;
  return driver < first_with_36 ? 18 : NVLINK_MAX_LINKS;
}

std::uint32_t visible_links(const GpuSlot& slot) {
  const std::uint32_t count =
      consistent(slot, [](const Gpu& gpu) { return __atomic_load_n(&gpu.nvlink.links.count, __ATOMIC_ACQUIRE); });
  constexpr std::uint32_t capacity = decltype(Nvlink::links)::capacity;
  const std::uint32_t limit = link_limit() < capacity ? link_limit() : capacity;
  return count < limit ? count : limit;
}

nvmlReturn_t check_link(const GpuSlot& slot, std::uint32_t number) {
  if (number >= link_limit()) return NVML_ERROR_INVALID_ARGUMENT;
  return number < visible_links(slot) ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t fetch_link(const Device& gpu, std::uint32_t number, Link* link) {
  if (const nvmlReturn_t code = check_link(gpu.slot, number); code != NVML_SUCCESS) return code;
  *link = consistent(gpu.slot, [number](const Gpu& state) { return load(state.nvlink.links.items[number]); });
  return NVML_SUCCESS;
}

namespace {

template <class FactType, class T>
nvmlReturn_t give_link(const Device& gpu, unsigned int number, FactType Link::*field, T* to) {
  Link link;
  const nvmlReturn_t code = fetch_link(gpu, number, &link);
  return code == NVML_SUCCESS ? give(link.*field, to) : code;
}

// The other end of a link as a PCI device; it need not be a GPU of this node.
nvmlReturn_t remote_pci(const Device& gpu, unsigned int number, Pci* pci) {
  Link link;
  if (const nvmlReturn_t code = fetch_link(gpu, number, &link); code != NVML_SUCCESS) return code;
  if (!link.remote_bus.has_value()) return code_of(link.remote_bus.code());
  *pci = {};
  pci->domain.set(link.remote_domain.value_or(0));
  pci->bus.set(link.remote_bus.value);
  pci->device.set(link.remote_device.value_or(0));
  if (link.remote_device_id.has_value()) pci->device_id.set(link.remote_device_id.value);
  return NVML_SUCCESS;
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetNvLinkState(const Device& gpu, unsigned int link, nvmlEnableState_t* isActive) {
  return give_link(gpu, link, &Link::active, isActive);
}

nvmlReturn_t nvmlDeviceGetNvLinkVersion(const Device& gpu, unsigned int link, unsigned int* version) {
  return give_link(gpu, link, &Link::version, version);
}

nvmlReturn_t nvmlDeviceGetNvLinkRemoteDeviceType(const Device& gpu, unsigned int link,
                                                 nvmlIntNvLinkDeviceType_t* pNvLinkDeviceType) {
  return give_link(gpu, link, &Link::remote_type, pNvLinkDeviceType);
}

nvmlReturn_t nvmlDeviceGetNvLinkCapability(const Device& gpu, unsigned int link, nvmlNvLinkCapability_t capability,
                                           unsigned int* capResult) {
  Link state;
  if (const nvmlReturn_t code = fetch_link(gpu, link, &state); code != NVML_SUCCESS) return code;
  if (static_cast<unsigned int>(capability) >= NVML_NVLINK_CAP_COUNT) return NVML_ERROR_INVALID_ARGUMENT;
  if (!state.capabilities.has_value()) return code_of(state.capabilities.code());
  *capResult = state.capabilities.value >> static_cast<unsigned int>(capability) & 1;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNvLinkErrorCounter(const Device& gpu, unsigned int link, nvmlNvLinkErrorCounter_t counter,
                                             unsigned long long* counterValue) {
  switch (counter) {
    case NVML_NVLINK_ERROR_DL_REPLAY:
      return give_link(gpu, link, &Link::replay_errors, counterValue);
    case NVML_NVLINK_ERROR_DL_RECOVERY:
      return give_link(gpu, link, &Link::recovery_errors, counterValue);
    case NVML_NVLINK_ERROR_DL_CRC_FLIT:
      return give_link(gpu, link, &Link::crc_flit_errors, counterValue);
    case NVML_NVLINK_ERROR_DL_CRC_DATA:
      return give_link(gpu, link, &Link::crc_data_errors, counterValue);
    case NVML_NVLINK_ERROR_DL_ECC_DATA:
      return give_link(gpu, link, &Link::ecc_errors, counterValue);
    default:
      return NVML_ERROR_INVALID_ARGUMENT;
  }
}

nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo_v2(const Device& gpu, unsigned int link, nvmlPciInfo_t* pci) {
  Pci remote{};
  if (const nvmlReturn_t code = remote_pci(gpu, link, &remote); code != NVML_SUCCESS) return code;
  fill_pci_info(remote, pci);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo(const Device& gpu, unsigned int link, nvmlPciInfo_t* pci) {
  Pci remote{};
  if (const nvmlReturn_t code = remote_pci(gpu, link, &remote); code != NVML_SUCCESS) return code;
  fill_pci_info_v2(remote, pci);
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
