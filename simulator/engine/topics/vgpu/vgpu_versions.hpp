// SPDX-License-Identifier: Apache-2.0
//
// The vGPU versions that a driver supports. Tests: tests/drivers/functions/vgpu_host_test.cpp.
#pragma once

#include <cstdint>

namespace nvmlab {

// The upper half of a version is the major number.
struct VgpuVersionRange {
  std::uint32_t from_driver;
  std::uint32_t lowest;
  std::uint32_t highest;
};

// Of a driver's major version; null where none are known.
const VgpuVersionRange* vgpu_versions_of(std::uint32_t driver);

// 535 of "535.161.08"; 0 of a text that does not begin with a number.
std::uint32_t major_version(const char* version);

}  // namespace nvmlab
