// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/vgpu/vgpu_versions.hpp"

namespace nvmlab {
namespace {

// As NVIDIA's open kernel modules of each driver have them (vgpu_version.h). Before 525 there are no such modules.
constexpr VgpuVersionRange kVersions[] = {
    {525, 0x70001, 0x100001},  {535, 0x70001, 0x120001},  {550, 0x70001, 0x140001},  {555, 0x70001, 0x150001},
    {560, 0x70001, 0x160001},  {565, 0x70001, 0x170001},  {570, 0x70001, 0x180001},  {575, 0x70001, 0x190001},
    {580, 0x120001, 0x1A0001}, {590, 0x180001, 0x1B0001}, {595, 0x180001, 0x1C0001},
};

}  // namespace

const VgpuVersionRange* vgpu_versions_of(std::uint32_t driver) {
  const VgpuVersionRange* found = nullptr;
  for (const VgpuVersionRange& row : kVersions) {
    if (driver >= row.from_driver) found = &row;
  }
  return found;
}

std::uint32_t major_version(const char* version) {
  std::uint32_t major = 0;
  for (; *version >= '0' && *version <= '9' && major < 100'000; ++version)
    major = major * 10 + static_cast<std::uint32_t>(*version - '0');
  return major;
}

}  // namespace nvmlab
