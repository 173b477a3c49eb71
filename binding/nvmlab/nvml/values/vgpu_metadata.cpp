// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/values/vgpu_metadata.hpp"

#include <cstring>

#include "nvmlab/abi/generated/types.hpp"
#include "nvmlab/nvml/convert.hpp"
#include "nvmlab/nvml/generated/convert_vgpu_parts.hpp"

namespace nvml::inline v1::detail {
namespace {

void body_from_c(const abi::nvmlVgpuMetadata_t& c, VgpuMetadata& value) {
  from_c(c.guestInfoState, value.guest_info_state);
  from_c(c.guestDriverVersion, value.guest_driver_version);
  value.virtualization_caps = c.vgpuVirtualizationCaps;
  value.guest_vgpu_version = c.guestVgpuVersion;
}
void body_to_c(const VgpuMetadata& value, abi::nvmlVgpuMetadata_t& c) {
  to_c(value.guest_info_state, c.guestInfoState);
  to_c(value.guest_driver_version, c.guestDriverVersion);
  c.vgpuVirtualizationCaps = value.virtualization_caps;
  c.guestVgpuVersion = value.guest_vgpu_version;
}

void body_from_c(const abi::nvmlVgpuPgpuMetadata_t& c, VgpuPgpuMetadata& value) {
  value.virtualization_caps = c.pgpuVirtualizationCaps;
  from_c(c.hostSupportedVgpuRange, value.host_supported_range);
}
void body_to_c(const VgpuPgpuMetadata& value, abi::nvmlVgpuPgpuMetadata_t& c) {
  c.pgpuVirtualizationCaps = value.virtualization_caps;
  to_c(value.host_supported_range, c.hostSupportedVgpuRange);
}

// The last member of both structs is where the bytes begin.
template <class C, class T>
bool read(std::span<const std::byte> from, T& value) {
  if (from.size() < sizeof(C)) return false;
  C c{};
  std::memcpy(&c, from.data(), sizeof c);
  const std::span<const std::byte> opaque = from.subspan(offsetof(C, opaqueData));
  if (c.opaqueDataSize > opaque.size()) return false;
  value.version = c.version;
  value.revision = c.revision;
  from_c(c.hostDriverVersion, value.host_driver_version);
  body_from_c(c, value);
  const auto* first = reinterpret_cast<const std::uint8_t*>(opaque.data());
  value.opaque_data.assign(first, first + c.opaqueDataSize);
  return true;
}

template <class C, class T>
std::vector<std::byte> written(const T& value) {
  C c{};
  c.version = value.version;
  c.revision = value.revision;
  to_c(value.host_driver_version, c.hostDriverVersion);
  body_to_c(value, c);
  c.opaqueDataSize = static_cast<unsigned>(value.opaque_data.size());
  std::vector<std::byte> bytes(std::max(sizeof c, offsetof(C, opaqueData) + value.opaque_data.size()));
  std::memcpy(bytes.data(), &c, sizeof c);
  if (!value.opaque_data.empty())
    std::memcpy(bytes.data() + offsetof(C, opaqueData), value.opaque_data.data(), value.opaque_data.size());
  return bytes;
}

}  // namespace

bool from_c(std::span<const std::byte> c, VgpuMetadata& value) { return read<abi::nvmlVgpuMetadata_t>(c, value); }
bool from_c(std::span<const std::byte> c, VgpuPgpuMetadata& value) {
  return read<abi::nvmlVgpuPgpuMetadata_t>(c, value);
}

std::vector<std::byte> to_c(const VgpuMetadata& value) { return written<abi::nvmlVgpuMetadata_t>(value); }
std::vector<std::byte> to_c(const VgpuPgpuMetadata& value) { return written<abi::nvmlVgpuPgpuMetadata_t>(value); }

}  // namespace nvml::inline v1::detail
