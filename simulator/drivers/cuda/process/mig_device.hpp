// SPDX-License-Identifier: Apache-2.0
// MIG devices, which libnvidia-ml describes (drivers/common/engine_table.hpp): all that libcuda knows of MIG. Tests:
// tests/drivers/cuda/mig_test.cpp.
#pragma once

#include "drivers/common/engine_table.hpp"

namespace nvmlab::cuda {

using driver::MigDevice;

// Whether the GPU is to be divided; nothing runs on the whole of it then.
inline bool in_mig_mode(const GpuSlot& slot) { return read_field(slot, &Gpu::modes, &Modes::mig).value_or(0) != 0; }

// All zero where it is gone.
inline MigDevice describe(const driver::EngineTable& engine, const Store& store, const GpuSlot& slot,
                          std::uint32_t position) {
  MigDevice device{};
  engine.describe_mig_device(store, slot, position, &device);
  return device;
}

}  // namespace nvmlab::cuda
