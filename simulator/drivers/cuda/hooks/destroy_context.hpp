// SPDX-License-Identifier: Apache-2.0
// The end of a context. Tests: tests/drivers/cuda/contexts_test.cpp.
#pragma once

#include "drivers/cuda/abi/abi.hpp"

namespace nvmlab::cuda {

// Releases all that a context has, and with the last context of a device what the process keeps there. Does nothing for
// a handle that is unknown. Under the lock of the process.
void destroy_context(CUcontext handle);

}  // namespace nvmlab::cuda
