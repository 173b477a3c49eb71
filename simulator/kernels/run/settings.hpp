// SPDX-License-Identifier: Apache-2.0
// What the environment says about kernels; read once, by the first load. A set-user-ID program ignores it. Tests:
// tests/drivers/cuda/limits_test.cpp.
#pragma once

#include <cstdint>
#include <string>

namespace nvmlab::kernels {

struct Settings {
  std::uint64_t timeout_ns = 0;  // NVMLAB_KERNEL_TIMEOUT, of one launch; 0: none
  bool skip = false;             // NVMLAB_KERNELS=skip: a launch only counts
  std::string record;            // NVMLAB_RECORD_KERNELS: where launches are told; empty: nowhere
  std::string problem;           // what is wrong with a variable; empty: nothing
};

const Settings& settings();

}  // namespace nvmlab::kernels
