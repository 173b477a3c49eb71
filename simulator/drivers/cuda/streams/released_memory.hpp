// SPDX-License-Identifier: Apache-2.0
// Memory that is released while a kernel or copy runs that may have looked it up before. Under the lock of the process.
// Tests: tests/drivers/cuda/memory_test.cpp.
#pragma once

#include <cstdint>

namespace nvmlab::cuda {

// Unmaps whole pages at once, or when no item runs any more.
void unmap_when_idle(std::uint64_t address, std::uint64_t bytes);
// Unmaps what waits; called when no item runs.
void unmap_released();

}  // namespace nvmlab::cuda
