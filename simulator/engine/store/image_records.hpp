// SPDX-License-Identifier: Apache-2.0
// How the records of an image lie in it (image.hpp), for who reads and who writes them. Tests:
// tests/unit/machine/image_test.cpp.
#pragma once

#include <cstdint>

#include "engine/store/image.hpp"
#include "engine/store/words.hpp"

namespace nvmlab {

struct ImageRun {
  std::uint32_t first;
  std::uint32_t count;
};
static_assert(sizeof(ImageRun) == 8);

// Where the first record begins, in words.
constexpr std::uint64_t records_at(std::uint32_t gpu_count) {
  return (sizeof(ImageHeader) + (std::uint64_t{gpu_count} + 2) * sizeof(std::uint32_t) + 7) / 8;
}

inline ImageRun image_run_at(const AliasedWord* words, std::uint64_t at) {
  const std::uint64_t word = words[at];
  return __builtin_bit_cast(ImageRun, word);
}

}  // namespace nvmlab
