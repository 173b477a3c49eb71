// SPDX-License-Identifier: Apache-2.0
#include "engine/machine/image.hpp"

#include <cstring>

namespace nvmlab {
namespace {

// Word-wise multiply-and-rotate sum: catches truncation and bit rot. It is no defence against an adversary; those who
// can write the file own the simulated machine anyway.
std::uint64_t checksum(std::uint64_t sum, const unsigned char* bytes, std::uint64_t size) {
  for (std::uint64_t i = 0; i + 8 <= size; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + i, 8);
    sum = ((sum ^ word) * 0xFF51AFD7ED558CCDull);
    sum ^= sum >> 29;
  }
  return sum;
}

// Over the header, its checksum taken as zero, and what lies behind it.
std::uint64_t checksum(const ImageHeader& header) {
  ImageHeader bare = header;
  bare.checksum = 0;
  const std::uint64_t sum = checksum(0x9E3779B97F4A7C15ull, reinterpret_cast<const unsigned char*>(&bare), sizeof bare);
  return checksum(sum, reinterpret_cast<const unsigned char*>(&header + 1), header.total_size - sizeof header);
}

}  // namespace

ImageError open_image(const void* bytes, std::uint64_t size, Image* image) {
  static_assert(sizeof(ImageHeader) % 8 == 0 && sizeof(Node) % 8 == 0 && sizeof(Gpu) % 8 == 0);
  if (size < sizeof(ImageHeader)) return ImageError::too_short;
  const auto* header = static_cast<const ImageHeader*>(bytes);
  if (std::memcmp(header->magic, kImageMagic, sizeof kImageMagic) != 0) return ImageError::not_an_image;
  if (header->format != kImageFormat) return ImageError::other_format;
  if (header->layout_hash != kLayoutHash) return ImageError::other_layout;
  if (header->gpu_count > kMaxGpus || header->total_size != image_size(header->gpu_count)) return ImageError::damaged;
  if (size < header->total_size) return ImageError::too_short;
  if (size > header->total_size) return ImageError::damaged;
  if (std::memchr(header->name, '\0', sizeof header->name) == nullptr) return ImageError::damaged;
  if (header->checksum != checksum(*header)) return ImageError::damaged;
  const auto* body = static_cast<const unsigned char*>(bytes) + sizeof(ImageHeader);
  image->header = header;
  image->node = reinterpret_cast<const Node*>(body);
  image->gpus = reinterpret_cast<const Gpu*>(body + sizeof(Node));
  return ImageError::none;
}

const char* describe(ImageError error) {
  switch (error) {
    case ImageError::none:
      return "a machine file";
    case ImageError::too_short:
      return "truncated: shorter than its header says";
    case ImageError::not_an_image:
      return "not a machine file";
    case ImageError::other_format:
      return "a machine file of another format version; compile the profile again";
    case ImageError::other_layout:
      return "made by another build of nvmlab; compile the profile again";
    case ImageError::damaged:
      return "damaged: its contents do not match its header";
  }
  return "unreadable";
}

void seal_image(void* bytes, std::uint32_t gpu_count, const char* name) {
  auto* header = static_cast<ImageHeader*>(bytes);
  std::memset(header, 0, sizeof *header);
  std::memcpy(header->magic, kImageMagic, sizeof kImageMagic);
  header->format = kImageFormat;
  header->gpu_count = gpu_count;
  header->layout_hash = kLayoutHash;
  header->total_size = image_size(gpu_count);
  std::size_t length = std::strlen(name);
  if (length >= sizeof header->name) length = sizeof header->name - 1;
  std::memcpy(header->name, name, length);
  header->checksum = checksum(*header);
}

}  // namespace nvmlab
