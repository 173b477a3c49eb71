// SPDX-License-Identifier: Apache-2.0
// Finding GPUs, and what is derived from their identity.
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/mig_handles.hpp"
#include "drivers/nvml/shapes/find.hpp"
#include "drivers/nvml/visible_gpus.hpp"
#include "engine/topics/pci/pci_address.hpp"

namespace nvmlab::driver {
namespace {

// A prefix of four characters and the 36 of a UUID's text.
void format_uuid(const char* prefix, const unsigned char (&bytes)[16], char (&text)[41]) {
  constexpr char hex[] = "0123456789abcdef";
  char* at = text;
  for (; *prefix != '\0'; ++prefix)
    *at++ = *prefix;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) *at++ = '-';
    *at++ = hex[bytes[i] >> 4];
    *at++ = hex[bytes[i] & 0xF];
  }
  *at = '\0';
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetHandleByUUIDV(Store& node, const nvmlUUID_t* uuid, nvmlDevice_t* device) {
  char text[41];
  if (uuid->type == NVML_UUID_TYPE_BINARY) {
    format_uuid("MIG-", uuid->value.bytes, text);
    if (nvmlDevice_t mig = find_mig_device(node, text)) {
      *device = mig;
      return NVML_SUCCESS;
    }
    format_uuid("GPU-", uuid->value.bytes, text);
  } else if (uuid->type == NVML_UUID_TYPE_ASCII) {
    std::memcpy(text, uuid->value.str,
                sizeof text - 1 < sizeof uuid->value.str ? sizeof text - 1 : sizeof uuid->value.str);
    text[sizeof text - 1] = '\0';
  } else {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  return find_by_text(node, field<&Gpu::identity, &Identity::uuid>, text, device);
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(Store& node, const char* pciBusId, nvmlDevice_t* device) {
  PciAddress wanted{};
  if (!parse_pci_address(pciBusId, &wanted)) return NVML_ERROR_INVALID_ARGUMENT;
  return find_device(node, device,
                     [&wanted](const GpuSlot& slot) { return address_of(fetch(slot, &Gpu::pci)) == wanted; });
}

// That of a MIG device is among those of its GPU.
nvmlReturn_t nvmlDeviceGetIndex(const Device& gpu, unsigned int* index) {
  if (gpu.is_mig()) {
    MigState state{};
    read_mig_state(gpu.store, gpu.slot, &state);
    const MigComputeInstance* found = state.layout.find(gpu.gpu_instance, gpu.compute_instance);
    if (found == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    *index = static_cast<unsigned int>(found - state.layout.compute_instance);
    return NVML_SUCCESS;
  }
  *index = place_of(gpu.store, gpu.slot);
  return NVML_SUCCESS;
}

// Boards with one GPU each: only the same GPU is on the same board.
nvmlReturn_t nvmlDeviceOnSameBoard(const Device& gpu, nvmlDevice_t device2, int* onSameBoard) {
  const GpuSlot* other = device_slot(gpu.store, device2);
  if (other == nullptr) return no_device(gpu.store, device2);
  *onSameBoard = other == &gpu.slot ? 1 : 0;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetGpuUptime_v1(const Device& gpu, nvmlGpuUptime_v1_t* uptime) {
  const Fact<std::uint64_t> since_us = read_field(gpu.slot, &Gpu::identity, &Identity::up_since_us);
  const std::uint64_t now_s = machine_time_ns(gpu.store.clock) / 1'000'000'000;
  const std::uint64_t since_s = since_us.value_or(gpu.store.header.created_ns / 1000) / 1'000'000;
  uptime->uptime = static_cast<unsigned int>(now_s > since_s ? now_s - since_s : 0);
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
