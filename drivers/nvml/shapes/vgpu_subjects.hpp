// SPDX-License-Identifier: Apache-2.0
// What the numbers of vGPUs and of their types name (shapes/subjects.hpp). Tests:
// tests/drivers/functions/vgpu_test.cpp, vgpu_host_test.cpp.
#pragma once

#include "drivers/nvml/shapes/prologue.hpp"
#include "engine/topics/vgpu/vgpu_host.hpp"

namespace nvmlab::driver {

// A type of any GPU that lends out vGPUs; INVALID_ARGUMENT for a number of none.
nvmlReturn_t look_up(const Store& store, std::uint32_t id, VgpuType* type);
// One of this very GPU; NOT_SUPPORTED where that lends out none.
nvmlReturn_t look_up(const Device& gpu, std::uint32_t id, VgpuType* type);

}  // namespace nvmlab::driver
