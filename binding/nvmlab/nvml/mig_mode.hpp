// SPDX-License-Identifier: Apache-2.0
// MIG mode, which the driver may take and not switch at once: that is an error too, as it is of any other setter.
// Covered by tests/binding/methods_scalar_test.cpp.
#pragma once

#include "nvmlab/loader/state.hpp"

namespace nvml::inline v1::detail {

// C: nvmlDeviceSetMigMode
Result<void> switch_mig(const State& state, abi::nvmlDevice_t device, bool enabled);

}  // namespace nvml::inline v1::detail
