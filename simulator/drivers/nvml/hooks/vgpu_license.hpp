// SPDX-License-Identifier: Apache-2.0
// The state of the licence of a GPU in a guest. Tests: tests/clients/smi_vgpu_test.cpp.
#pragma once

#include "engine/store/store.hpp"

namespace nvmlab::driver {

// NVML's GRID_LICENSE_STATE_*; NOT_SUPPORTED where nothing is licensed.
Fact<std::uint32_t> license_state(const Store& store, std::uint32_t gpu);

}  // namespace nvmlab::driver
