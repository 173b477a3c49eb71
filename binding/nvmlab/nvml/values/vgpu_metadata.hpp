// SPDX-License-Identifier: Apache-2.0
// What a vGPU and a GPU say of themselves before a migration. In C a struct with a block of bytes behind it, whose
// length the struct tells: not a type of a fixed size, so it comes from and goes to bytes.
// Covered by tests/binding/values_hand_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nvmlab/nvml/generated/enums.hpp"
#include "nvmlab/nvml/generated/values_vgpu_parts.hpp"

namespace nvml::inline v1 {

/// What a vGPU says of itself before a migration.
/// C: nvmlVgpuMetadata_t
struct VgpuMetadata {
  unsigned version{};                       ///< of the layout; the driver says it
  unsigned revision{};                      ///< of the layout
  VgpuGuestInfoState guest_info_state{};    ///< whether what the guest said is here
  std::string guest_driver_version{};       ///< "" before the guest told it
  std::string host_driver_version{};        ///< "550.90.07"
  unsigned virtualization_caps{};           ///< bit 0: migration
  unsigned guest_vgpu_version{};            ///< of the protocol between guest and host
  std::vector<std::uint8_t> opaque_data{};  ///< for the driver of the host that takes it
  bool operator==(const VgpuMetadata&) const = default;
};

/// What a GPU says of the vGPUs that it can take.
/// C: nvmlVgpuPgpuMetadata_t
struct VgpuPgpuMetadata {
  unsigned version{};                       ///< of the layout; the driver says it
  unsigned revision{};                      ///< of the layout
  std::string host_driver_version{};        ///< "550.90.07"
  unsigned virtualization_caps{};           ///< bit 0: migration
  VgpuVersion host_supported_range{};       ///< of the protocol between guest and host
  std::vector<std::uint8_t> opaque_data{};  ///< for the driver of the other host
  bool operator==(const VgpuPgpuMetadata&) const = default;
};

namespace detail {

// False: too few bytes for the struct, or for what it says is behind it.
bool from_c(std::span<const std::byte> c, VgpuMetadata& value);
bool from_c(std::span<const std::byte> c, VgpuPgpuMetadata& value);

// The struct with what is behind it, as nvmlGetVgpuCompatibility takes it.
std::vector<std::byte> to_c(const VgpuMetadata& value);
std::vector<std::byte> to_c(const VgpuPgpuMetadata& value);

}  // namespace detail

}  // namespace nvml::inline v1
