// SPDX-License-Identifier: Apache-2.0
// A file as an image, in memory while it is looked at. Tests: tests/drivers/cuda/modules_test.cpp.
#pragma once

#include <fcntl.h>

#include "drivers/cuda/abi/abi.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::cuda {

// Calls work(image, size); a zero stands behind the image.
template <class Work>
CUresult with_image_file(const char* path, const Work& work) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  if (path == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const int fd = sys::open_file(path, O_RDONLY, 0);
  if (fd < 0) return CUDA_ERROR_FILE_NOT_FOUND;
  sys::FileFacts facts;
  CUresult code = CUDA_ERROR_FILE_NOT_FOUND;
  if (sys::inspect(fd, &facts) == 0 && facts.regular && facts.size < kMost) {
    auto* const image = static_cast<char*>(sys::map_private(facts.size + 1));
    std::uint64_t have = 0;
    while (image != nullptr && have < facts.size) {
      const std::int64_t more = sys::read_file(fd, image + have, facts.size - have);
      if (more <= 0) break;
      have += static_cast<std::uint64_t>(more);
    }
    code = image == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : work(image, have);
    if (image != nullptr) sys::unmap(image, facts.size + 1);
  }
  sys::close_file(fd);
  return code;
}

}  // namespace nvmlab::cuda
