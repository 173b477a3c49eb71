// SPDX-License-Identifier: Apache-2.0
// A kernel over its grid, on all threads of the pool. Tests: tests/unit/kernels/.
#pragma once

#include "kernels/code/program.hpp"
#include "kernels/kernels_api.h"

namespace nvmlab::kernels {

// What launch() refuses before it runs anything.
int check_launch(const FunctionCode& kernel, const nvmlab_launch& request, nvmlab_fault* fault);

// CUDA_SUCCESS, or why the launch was refused; what goes wrong while it runs is told by `fault`.
int launch(const Program& program, const FunctionCode& kernel, const nvmlab_launch& request, nvmlab_fault* fault);

}  // namespace nvmlab::kernels
