// SPDX-License-Identifier: Apache-2.0
//
// Driver releases: from "535" to the version that a branch ended at, and from a version to the CUDA release that it
// supports. Used by the profile compiler and by the driver (NVMLAB_DRIVER). Tests:
// tests/unit/workshop/driver_version_test.cpp.
#pragma once

#include <cstdint>

#include "engine/topics/generated/state.hpp"

namespace nvmlab {

struct DriverVersion {
  char text[80];
  std::uint32_t length;
  std::uint32_t cuda;  // 1000 x major + 10 x minor
};

// `wanted` is a branch ("535") or a full version ("535.161.08"). False when it is neither, or older than any that is
// known.
bool find_driver_version(const char* wanted, DriverVersion* out);

// Makes a node report that driver; firmware of GPUs that went with the old driver follows.
void set_driver_version(const DriverVersion& version, Node* node, Gpu* gpus, std::uint32_t gpu_count);

}  // namespace nvmlab
