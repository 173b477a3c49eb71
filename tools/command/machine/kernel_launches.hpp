// SPDX-License-Identifier: Apache-2.0
// Launches of CUDA kernels that `nvmlab run --record-kernels FILE` recorded. Tests: tests/command/kernels_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace nvmlab::tool {

struct KernelLaunch {
  std::uint32_t pid = 0;
  std::string kernel;  // as its source has it, where that can be told
  std::vector<std::uint32_t> grid;
  std::vector<std::uint32_t> block;
  std::uint64_t shared = 0;
  std::uint64_t ns = 0;
  std::uint64_t instructions = 0;
  int code = 0;
};

// An error is a sentence: there is no such file, or it is no record.
std::expected<std::vector<KernelLaunch>, std::string> read_launches(const std::string& path);

}  // namespace nvmlab::tool
