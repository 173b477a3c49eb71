// SPDX-License-Identifier: Apache-2.0
//
// A machine file: a profile after compilation, ready to be mapped. It holds one node and its GPUs exactly as the store
// lays them out, behind a header that says for which layout it was made; `nvmlab`, the build (for shipped machines) and
// the YAML compiler write it, the driver only reads. Tests: tests/unit/machine/image_test.cpp.
#pragma once

#include <cstdint>

#include "engine/topics/generated/state.hpp"

namespace nvmlab {

inline constexpr char kImageMagic[8] = {'N', 'V', 'M', 'L', 'A', 'B', 'M', '\n'};
inline constexpr std::uint32_t kImageFormat = 1;
inline constexpr std::uint32_t kMaxGpus = 4096;

struct ImageHeader {
  char magic[8];
  std::uint32_t format;
  std::uint32_t gpu_count;
  std::uint64_t layout_hash;  // of the state vocabulary that Node and Gpu were made from
  std::uint64_t total_size;
  std::uint64_t checksum;  // over everything else
  char name[64];           // of the profile, NUL-terminated
};

// An image is a header, one Node and gpu_count Gpus without gaps.
inline constexpr std::uint64_t image_size(std::uint32_t gpu_count) {
  return sizeof(ImageHeader) + sizeof(Node) + std::uint64_t{gpu_count} * sizeof(Gpu);
}

// A view into mapped bytes; valid as long as they are.
struct Image {
  const ImageHeader* header = nullptr;
  const Node* node = nullptr;
  const Gpu* gpus = nullptr;
};

enum class ImageError : std::uint8_t { none, too_short, not_an_image, other_format, other_layout, damaged };

// Checks every bound before anything is read through it. `bytes` must be aligned to 8.
ImageError open_image(const void* bytes, std::uint64_t size, Image* image);
const char* describe(ImageError error);

// Fills in a header for a node and its GPUs that lie behind it already.
void seal_image(void* bytes, std::uint32_t gpu_count, const char* name);

}  // namespace nvmlab
