// SPDX-License-Identifier: Apache-2.0
//
// How busy the process keeps each device, as NVML is told: the share of time in which a kernel of it ran, in windows of
// kLoadWindow. NVML hears of it when it has changed, not at each kernel. Under the lock of the process. Tests:
// tests/drivers/cuda/machine_test.cpp.
#pragma once

#include <cstdint>

namespace nvmlab::cuda {

inline constexpr std::uint64_t kLoadWindow = 100'000'000;  // ns

void kernel_begins(std::uint32_t device);
void kernel_ends(std::uint32_t device);

// The last context of the device is gone, and the process with it.
void forget_load(std::uint32_t device);

// Whether a device is told to be busy, so that somebody has to look again when a window has passed.
bool load_is_told();
void look_at_load();

}  // namespace nvmlab::cuda
