// SPDX-License-Identifier: Apache-2.0
//
// vGPU versions, and the two blocks of bytes by which management software tells whether a vGPU can move to another
// host. What is opaque in them is the PCI id of the board: a vGPU moves to one of the same kind.
// Tests: tests/drivers/functions/vgpu_host_test.cpp.
#include "drivers/nvml/hooks/vgpu.hpp"
#include "engine/topics/vgpu/vgpu_versions.hpp"

namespace nvmlab::driver {
namespace {

// What guests may have now: what an administrator has set, within what the driver can.
nvmlVgpuVersion_t current_range(const Store& node, const VgpuVersionRange& row) {
  const auto set = consistent(node.node, [](const Node& state) {
    return std::pair{load(state.vgpu.lowest_version), load(state.vgpu.highest_version)};
  });
  return {set.first.value_or(row.lowest), set.second.value_or(row.highest)};
}

// A block as large as the struct; the caller learns the size where there is less room.
template <class Block>
nvmlReturn_t begin_block(Block* to, unsigned int* size) {
  const bool fits = to != nullptr && *size >= sizeof(Block);
  *size = sizeof(Block);
  if (!fits) return NVML_ERROR_INSUFFICIENT_SIZE;
  *to = {};
  to->version = 2;
  to->revision = 1;
  to->opaqueDataSize = sizeof to->opaqueData;
  return NVML_SUCCESS;
}

void put_host_driver(const Store& node, char (&to)[SYSTEM_DRIVER_VERSION_BUFFER_SIZE]) {
  const Text<80> version = read_field(node.node, &Node::system, &System::driver_version);
  static_assert(sizeof version.data == sizeof to);
  std::memcpy(to, version.data, sizeof to);
}

std::uint32_t board_of(const Store& node, std::uint32_t gpu) {
  return peek_field(node, gpu, &Gpu::pci, &Pci::device_id).value_or(0);
}

template <class Block>
std::uint32_t opaque_of(const Block& block) {
  std::uint32_t board = 0;
  static_assert(sizeof block.opaqueData == sizeof board);
  std::memcpy(&board, block.opaqueData, sizeof board);
  return board;
}

}  // namespace

nvmlReturn_t look_up(const Store& node, VgpuVersions* versions) {
  const VgpuVersionRange* const row = vgpu_versions_of(simulated_driver().major);
  if (row == nullptr || !any_vgpu_host(node)) return NVML_ERROR_NOT_SUPPORTED;
  const nvmlVgpuVersion_t current = current_range(node, *row);
  *versions = {row->lowest, row->highest, current.minVersion, current.maxVersion};
  return NVML_SUCCESS;
}

namespace hooks {

nvmlReturn_t nvmlSetVgpuVersion(Store& node, nvmlVgpuVersion_t* vgpuVersion) {
  const VgpuVersionRange* const row = vgpu_versions_of(simulated_driver().major);
  if (row == nullptr || !any_vgpu_host(node)) return NVML_ERROR_NOT_SUPPORTED;
  const auto [lowest, highest] = *vgpuVersion;
  if (lowest > highest || lowest < row->lowest || highest > row->highest) return NVML_ERROR_INVALID_ARGUMENT;
  return apply_change(node, make_change(MachinePart::vgpus, SetVgpuVersions{lowest, highest}));
}

nvmlReturn_t nvmlDeviceGetVgpuMetadata(const Device& gpu, nvmlVgpuPgpuMetadata_t* pgpuMetadata,
                                       unsigned int* bufferSize) {
  const VgpuVersionRange* const row = vgpu_versions_of(simulated_driver().major);
  if (row == nullptr || !hosts_vgpus(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  if (const nvmlReturn_t code = begin_block(pgpuMetadata, bufferSize); code != NVML_SUCCESS) return code;
  put_host_driver(gpu.store, pgpuMetadata->hostDriverVersion);
  pgpuMetadata->pgpuVirtualizationCaps = 1;  // migration
  pgpuMetadata->hostSupportedVgpuRange = current_range(gpu.store, *row);
  const std::uint32_t board = board_of(gpu.store, gpu.index);
  std::memcpy(pgpuMetadata->opaqueData, &board, sizeof board);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlVgpuInstanceGetMetadata(Store& node, nvmlVgpuInstance_t vgpuInstance, nvmlVgpuMetadata_t* vgpuMetadata,
                                         unsigned int* bufferSize) {
  VgpuInstance vgpu{};
  if (const nvmlReturn_t code = look_up(node, vgpuInstance, &vgpu); code != NVML_SUCCESS) return code;
  if (const nvmlReturn_t code = begin_block(vgpuMetadata, bufferSize); code != NVML_SUCCESS) return code;
  put_host_driver(node, vgpuMetadata->hostDriverVersion);
  vgpuMetadata->vgpuVirtualizationCaps = 1;  // migration
  if (vgpu.guest_driver.has_value()) {
    vgpuMetadata->guestInfoState = NVML_VGPU_INSTANCE_GUEST_INFO_STATE_INITIALIZED;
    std::memcpy(vgpuMetadata->guestDriverVersion, vgpu.guest_driver.data, sizeof vgpu.guest_driver.data);
    const VgpuVersionRange* const row = vgpu_versions_of(major_version(vgpu.guest_driver.data));
    vgpuMetadata->guestVgpuVersion = row == nullptr ? 0 : row->highest;
  }
  const std::uint32_t board = board_of(node, vgpu.gpu.value_or(0));
  std::memcpy(vgpuMetadata->opaqueData, &board, sizeof board);
  return NVML_SUCCESS;
}

// A guest that has not booted can start where its board is; one that runs can move where its version is known too.
nvmlReturn_t nvmlGetVgpuCompatibility(Store& node, nvmlVgpuMetadata_t* vgpuMetadata,
                                      nvmlVgpuPgpuMetadata_t* pgpuMetadata,
                                      nvmlVgpuPgpuCompatibility_t* compatibilityInfo) {
  if (!any_vgpu_host(node)) return NVML_ERROR_NOT_SUPPORTED;
  const bool blocks = vgpuMetadata->opaqueDataSize == sizeof vgpuMetadata->opaqueData &&
                      pgpuMetadata->opaqueDataSize == sizeof pgpuMetadata->opaqueData;
  if (!blocks) return NVML_ERROR_INVALID_ARGUMENT;
  *compatibilityInfo = {NVML_VGPU_VM_COMPATIBILITY_NONE, NVML_VGPU_COMPATIBILITY_LIMIT_GPU};
  if (opaque_of(*vgpuMetadata) != opaque_of(*pgpuMetadata)) return NVML_SUCCESS;
  const bool runs = vgpuMetadata->guestInfoState == NVML_VGPU_INSTANCE_GUEST_INFO_STATE_INITIALIZED;
  const auto [lowest, highest] = pgpuMetadata->hostSupportedVgpuRange;
  const std::uint32_t guest = vgpuMetadata->guestVgpuVersion;
  compatibilityInfo->compatibilityLimitCode = NVML_VGPU_COMPATIBILITY_LIMIT_GUEST_DRIVER;
  if (runs && (guest < lowest || guest > highest)) return NVML_SUCCESS;
  const std::uint32_t live =
      runs ? NVML_VGPU_VM_COMPATIBILITY_LIVE | NVML_VGPU_VM_COMPATIBILITY_SLEEP | NVML_VGPU_VM_COMPATIBILITY_HIBERNATE
           : 0U;
  const std::uint32_t all = NVML_VGPU_VM_COMPATIBILITY_COLD | live;
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): the enumerators are bits
  *compatibilityInfo = {static_cast<nvmlVgpuVmCompatibility_t>(all), NVML_VGPU_COMPATIBILITY_LIMIT_NONE};
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
