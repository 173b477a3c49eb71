// SPDX-License-Identifier: Apache-2.0
// What programs hand over as a module: PTX text, a fatbin or the wrapper of one, a cubin. Tests:
// tests/drivers/cuda/modules_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

namespace nvmlab::kernels {

struct ImageFailure {
  int code = 0;  // CUDA_ERROR_...
  std::string text;
};

// The PTX for a device of this compute capability.
std::expected<std::string, ImageFailure> ptx_of(const void* image, std::uint32_t target);

}  // namespace nvmlab::kernels
