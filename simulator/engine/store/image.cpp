// SPDX-License-Identifier: Apache-2.0
#include "engine/store/image.hpp"

#include <cstring>

#include "engine/store/image_records.hpp"

namespace nvmlab {
namespace {

// Word-wise multiply-and-rotate sum: catches truncation and bit rot. It is no defence against an adversary; those who
// can write the file own the simulated machine anyway.
std::uint64_t mixed(std::uint64_t sum, std::uint64_t word) {
  sum = (sum ^ word) * 0xFF51AFD7ED558CCDull;
  return sum ^ sum >> 29;
}

std::uint64_t word_at(const unsigned char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// In four sums side by side: each step of one waits for the step before it, a process that starts need not.
std::uint64_t checksum(std::uint64_t sum, const unsigned char* bytes, std::uint64_t size) {
  std::uint64_t second = sum + 1;
  std::uint64_t third = sum + 2;
  std::uint64_t fourth = sum + 3;
  std::uint64_t i = 0;
  for (; i + 32 <= size; i += 32) {
    sum = mixed(sum, word_at(bytes + i));
    second = mixed(second, word_at(bytes + i + 8));
    third = mixed(third, word_at(bytes + i + 16));
    fourth = mixed(fourth, word_at(bytes + i + 24));
  }
  for (; i + 8 <= size; i += 8)
    sum = mixed(sum, word_at(bytes + i));
  return mixed(mixed(mixed(sum, second), third), fourth);
}

// Over the header, its checksum taken as zero, and what lies behind it.
std::uint64_t checksum(const ImageHeader& header) {
  ImageHeader bare = header;
  bare.checksum = 0;
  const std::uint64_t sum = checksum(0x9E3779B97F4A7C15ull, reinterpret_cast<const unsigned char*>(&bare), sizeof bare);
  return checksum(sum, reinterpret_cast<const unsigned char*>(&header + 1), header.total_size - sizeof header);
}

// Every second word of every record in a run of its own.
constexpr std::uint64_t longest_image(std::uint32_t gpu_count) {
  return records_at(gpu_count) * 8 + 2 * sizeof(Node) + gpu_count * std::uint64_t{2} * sizeof(Gpu);
}

const AliasedWord* words_of(const Image& image) { return reinterpret_cast<const AliasedWord*>(image.header); }

bool good_record(const AliasedWord* words, std::uint64_t begin, std::uint64_t end, std::uint64_t state_words) {
  std::uint64_t behind = 0;  // the run before
  for (std::uint64_t at = begin; at < end;) {
    const ImageRun run = image_run_at(words, at++);
    if (run.count == 0 || run.count > end - at || run.first < behind) return false;
    behind = std::uint64_t{run.first} + run.count;
    if (behind > state_words) return false;
    at += run.count;
  }
  return true;
}

bool good_records(const Image& image) {
  const std::uint32_t records = image.header->gpu_count + 1;
  if (image.places[0] != records_at(image.header->gpu_count)) return false;
  if (image.places[records] * std::uint64_t{8} != image.header->total_size) return false;
  for (std::uint32_t i = 0; i < records; ++i) {
    if (image.places[i] > image.places[i + 1]) return false;
  }
  for (std::uint32_t i = 0; i < records; ++i) {
    const std::uint64_t state_words = (i == 0 ? sizeof(Node) : sizeof(Gpu)) / 8;
    if (!good_record(words_of(image), image.places[i], image.places[i + 1], state_words)) return false;
  }
  return true;
}

// The words `first` to `last` of a state, as far as the record has them.
void read_record(const Image& image, std::uint32_t record, std::uint64_t first, std::uint64_t last, AliasedWord* to) {
  const AliasedWord* words = words_of(image);
  for (std::uint64_t at = image.places[record]; at < image.places[record + 1];) {
    const ImageRun run = image_run_at(words, at++);
    if (run.first >= last) return;
    const std::uint64_t end = run.first + std::uint64_t{run.count};
    for (std::uint64_t i = first < run.first ? run.first : first; i < end && i < last; ++i)
      to[i - first] = words[at + i - run.first];
    at += run.count;
  }
}

}  // namespace

ImageError check_image_header(const ImageHeader& header, std::uint64_t size) {
  if (size < sizeof header) return ImageError::too_short;
  if (std::memcmp(header.magic, kImageMagic, sizeof kImageMagic) != 0) return ImageError::not_an_image;
  if (header.format != kImageFormat) return ImageError::other_format;
  if (header.layout_hash != kLayoutHash) return ImageError::other_layout;
  if (size < header.total_size) return ImageError::too_short;
  if (size > header.total_size || size % 8 != 0) return ImageError::damaged;
  if (header.gpu_count > kMaxGpus || records_at(header.gpu_count) > size / 8) return ImageError::damaged;
  if (size > longest_image(header.gpu_count)) return ImageError::damaged;  // nobody makes room for it
  if (std::memchr(header.name, '\0', sizeof header.name) == nullptr) return ImageError::damaged;
  return ImageError::none;
}

ImageError open_image(const void* bytes, std::uint64_t size, Image* image) {
  static_assert(sizeof(ImageHeader) % 8 == 0 && sizeof(Node) % 8 == 0 && sizeof(Gpu) % 8 == 0);
  if (size < sizeof(ImageHeader)) return ImageError::too_short;
  const auto* header = static_cast<const ImageHeader*>(bytes);
  if (const ImageError error = check_image_header(*header, size); error != ImageError::none) return error;
  if (header->checksum != checksum(*header)) return ImageError::damaged;
  const Image view = view_image(bytes);
  if (!good_records(view)) return ImageError::damaged;
  *image = view;
  return ImageError::none;
}

Image view_image(const void* bytes) {
  const auto* header = static_cast<const ImageHeader*>(bytes);
  return {header, reinterpret_cast<const std::uint32_t*>(header + 1)};
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

void read_node(const Image& image, Node* zeroed) { read_node_part(image, 0, sizeof(Node), zeroed); }

void read_node_part(const Image& image, std::uint64_t offset, std::uint64_t size, void* zeroed) {
  read_record(image, 0, offset / 8, (offset + size) / 8, static_cast<AliasedWord*>(zeroed));
}

void read_gpu(const Image& image, std::uint32_t index, Gpu* zeroed) {
  read_gpu_part(image, index, 0, sizeof(Gpu), zeroed);
}

void read_gpu_part(const Image& image, std::uint32_t index, std::uint64_t offset, std::uint64_t size, void* zeroed) {
  auto* to = static_cast<AliasedWord*>(zeroed);
  read_record(image, 1, offset / 8, (offset + size) / 8, to);
  if (index > 0) read_record(image, index + 1, offset / 8, (offset + size) / 8, to);
}

void seal_image(void* bytes) {
  auto* header = static_cast<ImageHeader*>(bytes);
  header->checksum = checksum(*header);
}

}  // namespace nvmlab
