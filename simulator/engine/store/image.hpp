// SPDX-License-Identifier: Apache-2.0
//
// A machine file, or image: a profile after compilation. `nvmlab`, the build (for shipped machines) and the YAML
// compiler write it, the driver only reads.
//
// The state of a GPU is mostly zero (what its board does not know, and the free places of its lists), and the GPUs of a
// node differ in little more than their names. So an image keeps the words of the node and of the first GPU that are
// not zero, and of every other GPU those in which it differs from the first: a node of eight takes some kilobytes, and
// a process that starts reads no more than that. Behind the header lie gpu_count + 2 places (in words of eight bytes,
// from the start of the file), which bound the records of the node and the GPUs; a record is a row of runs, each a word
// {first word in the state, number of words} and the words themselves, in the order of the state. Tests:
// tests/unit/machine/image_test.cpp.
#pragma once

#include <cstdint>

#include "engine/state/generated/state.hpp"

namespace nvmlab {

inline constexpr char kImageMagic[8] = {'N', 'V', 'M', 'L', 'A', 'B', 'M', '\n'};
inline constexpr std::uint32_t kImageFormat = 3;
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

// A view into mapped bytes; valid as long as they are.
struct Image {
  const ImageHeader* header = nullptr;
  const std::uint32_t* places = nullptr;
};

enum class ImageError : std::uint8_t { none, too_short, not_an_image, other_format, other_layout, damaged };

// Checks every bound, so that reading needs to check none. `bytes` must be aligned to 8.
ImageError open_image(const void* bytes, std::uint64_t size, Image* image);
const char* describe(ImageError error);

// The same of the header alone, for who has read no more yet. `size` is that of the whole image.
ImageError check_image_header(const ImageHeader& header, std::uint64_t size);

// A view of bytes that open_image() has found good, of a copy of them, or of an image that was linked into a program.
Image view_image(const void* bytes);

// Writes the node, or GPU `index` of those that the image lists, into zeroed memory.
void read_node(const Image& image, Node* zeroed);
void read_gpu(const Image& image, std::uint32_t index, Gpu* zeroed);

// `size` bytes of them from `offset` on, both multiples of eight.
void read_node_part(const Image& image, std::uint64_t offset, std::uint64_t size, void* zeroed);
void read_gpu_part(const Image& image, std::uint32_t index, std::uint64_t offset, std::uint64_t size, void* zeroed);

// Writes an image to `bytes`, aligned to 8, and returns its size; with null it only tells the size.
std::uint64_t write_image(const Node& node, const Gpu* gpus, std::uint32_t gpu_count, const char* name, void* bytes);

// The same of GPUs that are made one after the other: one is good until the next is asked for, each in its turn and
// once. `bytes` has room for them.
struct GpuSource {
  const Gpu* (*at)(void* self, std::uint32_t index);
  void* self;
};
std::uint64_t write_image(const Node& node, const GpuSource& gpus, std::uint32_t gpu_count, const char* name,
                          void* bytes);

// Sets the checksum to what everything else demands; write_image() has done so.
void seal_image(void* bytes);

// No image is longer: every second word of every record would stand in a run of its own.
inline constexpr std::uint64_t kMaxImageSize =
    sizeof(ImageHeader) + (kMaxGpus + 2) * 8ull + 2 * sizeof(Node) + kMaxGpus * 2ull * sizeof(Gpu);

}  // namespace nvmlab
