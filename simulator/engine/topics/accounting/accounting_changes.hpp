// SPDX-License-Identifier: Apache-2.0
// Forgetting the processes that accounting remembers. Tests: tests/drivers/functions/accounting_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/edit.hpp"

namespace nvmlab {

// Forgets the processes that have ended; those that run stay.
struct ClearAccounting {};

// Whether accounting is on: kSuccess, or why not.
Code check_accounting(const Modes& modes);

Code make(const ClearAccounting& change, GpuEdit& gpu);

}  // namespace nvmlab
