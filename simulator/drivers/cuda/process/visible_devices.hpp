// SPDX-License-Identifier: Apache-2.0
//
// Which GPUs a process sees, and in which order: CUDA_DEVICE_ORDER sorts them, CUDA_VISIBLE_DEVICES chooses. The
// variable is a list of indices, of UUIDs or their beginnings, and of MIG devices; it ends at the first entry that
// names nothing. docs/guide/cuda.md is the user's view. Tests: tests/drivers/cuda/visible_devices_test.cpp.
#pragma once

#include <cstdint>

#include "drivers/common/engine_table.hpp"

namespace nvmlab::cuda {

inline constexpr std::uint32_t kMaxVisibleDevices = 4096;
inline constexpr std::uint32_t kWholeGpu = ~std::uint32_t{0};

struct VisibleDevice {
  std::uint32_t gpu;  // its place among the slots of the store
  std::uint32_t mig;  // its position among the GPU's; kWholeGpu: it is no MIG device
};

// Fills `devices` and returns how many there are. `order` and `visible` are the values of the two variables, or null.
std::uint32_t choose_devices(const driver::EngineTable& engine, const Store& store, const char* order,
                             const char* visible, VisibleDevice* devices);

}  // namespace nvmlab::cuda
