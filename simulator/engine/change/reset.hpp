// SPDX-License-Identifier: Apache-2.0
//
// A GPU that starts over. What it forgets, and what comes into force, the rows of model/state/ say (`reset`). Whatever
// is stored on the board (InfoROM) survives. Tests: tests/drivers/functions/reset_test.cpp, drain_test.cpp,
// tests/unit/changes/resets_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/edit.hpp"

namespace nvmlab {

// nvidia-smi -r.
struct ResetGpu {};

// Takes a GPU that drains, and that nothing holds, off the machine for every process.
struct RemoveGpu {};

// Finds a removed GPU again. The driver initialises it anew, and what it kept for it is lost.
struct ReturnGpu {};

Code make(const ResetGpu& change, GpuEdit& gpu);
Code make(const RemoveGpu& change, GpuEdit& gpu);
Code make(const ReturnGpu& change, GpuEdit& gpu);

// Persistence mode is an attachment of the driver itself; a process on the GPU is one too.
bool in_use(const GpuEdit& gpu);

}  // namespace nvmlab
