// SPDX-License-Identifier: Apache-2.0
// Kernels of kernels.ptx, each on some cores of the machine, in a process of its own: the threads that run kernels are
// as many as the cores that a process may use when it starts them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nvmlab::bench {

struct KernelFigures {
  std::uint64_t instructions = 0;  // of threads, in one launch
  double kernel_ns = 0;            // of one launch, the best of several
  double loop_ns = 0;              // of the same in C++ on one core; 0: there is none
  std::uint32_t right = 0;         // the result is that of the loop
};

struct KernelCase {
  std::string name;
  std::string what;
  bool has_loop = true;
};

const std::vector<KernelCase>& kernel_cases();
// Measures one on this many cores; false: the child failed.
bool measure_kernel(std::size_t number, std::uint32_t cores, KernelFigures* out);
// How many cores this process may use.
std::uint32_t usable_cores();

}  // namespace nvmlab::bench
