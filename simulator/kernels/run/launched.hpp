// SPDX-License-Identifier: Apache-2.0
// What the kernels of a grid have launched. They leave it in the heap of their module
// (kernels/images/device_runtime.cpp); it runs when the grid has ended, which is soon enough: CUDA 12 gives a kernel no
// way to wait for it. Tests: tests/unit/kernels/device_launches_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "kernels/code/program.hpp"
#include "kernels/kernels_api.h"

namespace nvmlab::kernels {

struct Launched {
  const FunctionCode* kernel = nullptr;
  std::uint32_t grid[3] = {};
  std::uint32_t block[3] = {};
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<char> parameters;
};

// Whether its kernels can launch any.
bool can_launch(const Program& program);

// What was launched since the last call, in order. Kernels can write over all of this; what is no launch then is told
// by `wrong`.
std::vector<Launched> take_launched(const Program& program, std::string* wrong);

}  // namespace nvmlab::kernels
