// SPDX-License-Identifier: Apache-2.0
// One line for each launch, where NVMLAB_RECORD_KERNELS names a file; `nvmlab kernels` reads them. Tests:
// tests/command/kernels_test.cpp.
#pragma once

#include "kernels/code/program.hpp"
#include "kernels/kernels_api.h"

namespace nvmlab::kernels {

void record_launch(const FunctionCode& kernel, const nvmlab_launch& request, const nvmlab_fault& fault,
                   std::uint64_t took_ns);

}  // namespace nvmlab::kernels
