// SPDX-License-Identifier: Apache-2.0
// How many registers a compiler would give a function: as many as hold values at the same time. Tests:
// tests/unit/kernels/registers_test.cpp.
#pragma once

#include "kernels/ptx/module.hpp"

namespace nvmlab::kernels {

// Of 32 bits, for a thread. Predicates have registers of their own.
std::uint32_t registers_of(const ptx::Function& function);

}  // namespace nvmlab::kernels
