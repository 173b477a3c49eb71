// SPDX-License-Identifier: Apache-2.0
// When the licence of a guest ends, as a date. Tests: tests/drivers/functions/vgpu_host_test.cpp.
#pragma once

#include "engine/state/fact.hpp"

namespace nvmlab {

// Two labels of `license_expiry` in model/state/vgpu.yaml.
inline constexpr std::uint32_t kLicenseEndUnknown = 0;
inline constexpr std::uint32_t kLicenseEndValid = 2;

// A date only where the status says that there is one.
struct LicenseEnd {
  std::uint32_t status;
  std::uint32_t year;
  std::uint32_t month;
  std::uint32_t day;
  std::uint32_t hour;
  std::uint32_t minute;
  std::uint32_t second;
};
LicenseEnd license_end(const Fact<std::uint32_t>& known, const Fact<std::uint64_t>& end);

}  // namespace nvmlab
