// SPDX-License-Identifier: Apache-2.0
// Everything about a device at once. Not part of <nvmlab/nvml.hpp>. Covered by tests/binding/snapshot_test.cpp.
//
//   const nvml::Snapshot now = nvml::snapshot(device);
//   std::cout << now.name.value_or("?") << ' ' << now.power_usage.value_or(nvml::Milliwatts{}).count() << '\n';
#pragma once

#include "nvmlab/nvml/generated/snapshot.hpp"  // IWYU pragma: export
