// SPDX-License-Identifier: Apache-2.0
// What programs hand over as a module: PTX text, a fatbin or the wrapper of one, a cubin. Tests:
// tests/unit/kernels/images_test.cpp, tests/drivers/cuda/modules_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "kernels/ptx/problem.hpp"

namespace nvmlab::kernels {

struct ImageFailure {
  int code = 0;  // CUDA_ERROR_...
  std::string text;
};

inline std::unexpected<ImageFailure> failure(int code, std::string text) {
  return std::unexpected(ImageFailure{code, std::move(text)});
}

constexpr int kInvalidImage = 200;
constexpr int kNoBinaryForGpu = 209;
constexpr int kUnsupportedPtxVersion = 222;
constexpr std::uint64_t kLongestText = std::uint64_t{1} << 30;

// What an image is chosen for.
struct ImageTarget {
  std::uint32_t capability = 0;  // 90
  std::uint32_t newest_ptx = 0;  // that its driver reads, 84 of PTX 8.4; 0: any
};

// What an image holds for a device.
struct PtxTexts {
  std::vector<std::string> texts;    // several where they are to be linked
  std::uint32_t most_registers = 0;  // that a thread may have, as whoever linked it said; 0: any number
};

std::expected<PtxTexts, ImageFailure> ptx_of(const void* image, const ImageTarget& device);

}  // namespace nvmlab::kernels
