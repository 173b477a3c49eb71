// SPDX-License-Identifier: Apache-2.0
//
// Bytes as a machine file, and as the header of a store: refused, or good to be read to the last word. The first byte
// says which parts of the header are set right beforehand. A fuzzer would never guess the hash of the layout or a
// checksum, and what lies behind them must be safe to read all the same. Images that are good become machines.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "engine/store/image.hpp"
#include "engine/store/store.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace nvmlab::fuzz {
namespace {

enum Repair : unsigned { kMagic = 1, kFormat = 2, kLayout = 4, kSize = 8, kSeal = 16 };
constexpr std::uint32_t kMostGpus = 4;  // to be built: each takes two states

// In words, since images and stores are aligned.
std::vector<std::uint64_t> aligned(const std::uint8_t* data, std::size_t size, std::size_t at_least) {
  std::vector<std::uint64_t> words((std::max(size, at_least) + 7) / 8);
  std::ranges::copy_n(data, static_cast<std::ptrdiff_t>(size), reinterpret_cast<std::uint8_t*>(words.data()));
  return words;
}

void build(const Image& image) {
  const std::uint32_t gpus = std::min(image.header->gpu_count, kMostGpus);
  for (std::uint32_t i = 0; i < gpus; ++i) {
    Gpu gpu{};
    read_gpu(image, i, &gpu);
  }
  // One GPU more than are listed repeats the first one.
  static std::vector<std::uint64_t> room;
  room.assign((store_on_demand_size(image, gpus + 1) + 64) / 8, 0);
  void* memory = room.data();
  std::size_t space = room.size() * 8;
  std::align(alignof(Store), sizeof(Store), memory, space);
  build_store(memory, image, gpus + 1, "whole", 1);
  if (check_store(memory, space) != StoreError::none) wrong("built a store that cannot be opened");
  std::memset(memory, 0, store_size(gpus + 1));
  build_store_on_demand(memory, image, gpus + 1, "on demand", 1);
  auto& store = *static_cast<Store*>(memory);
  // A GPU further on needs all that are listed, which may be more than there is room for here.
  const std::uint32_t buildable = image.header->gpu_count <= kMostGpus ? gpus + 1 : gpus;
  for (std::uint32_t i = buildable; i > 0; --i) {
    if (!present(store.gpus()[i - 1])) wrong("a GPU that is not there");
  }
}

void as_image(unsigned repair, const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint64_t> words = aligned(data, size, 0);
  auto* header = reinterpret_cast<ImageHeader*>(words.data());
  if (size >= sizeof *header) {
    if (repair & kMagic) std::memcpy(header->magic, kImageMagic, sizeof kImageMagic);
    if (repair & kFormat) header->format = kImageFormat;
    if (repair & kLayout) header->layout_hash = kLayoutHash;
    if (repair & kSize) {
      size = words.size() * 8;
      header->total_size = size;
      header->name[sizeof header->name - 1] = '\0';
    }
    if ((repair & kSeal) && header->total_size == size) seal_image(words.data());
  }
  Image image;
  const ImageError error = open_image(words.data(), size, &image);
  if (*describe(error) == '\0') wrong("refused without a word");
  if (error == ImageError::none) build(image);
}

void as_store(unsigned repair, const std::uint8_t* data, std::size_t size) {
  alignas(64) static Store store;
  std::memset(&store.header, 0, sizeof store.header);
  std::memcpy(&store.header, data, std::min(size, sizeof store.header));
  if (repair & kMagic) std::memcpy(store.header.magic, kStoreMagic, sizeof kStoreMagic);
  if (repair & kFormat) store.header.format = kStoreFormat;
  if (repair & kLayout) store.header.layout_hash = kLayoutHash;
  if (repair & kSize) store.header.total_size = store_size(store.header.gpu_count);
  // Not mapped to the end that it claims: nothing behind the header may be looked at.
  const StoreError error = check_store(&store, repair & kSeal ? sizeof store : store_size(store.header.gpu_count));
  if (*describe(error) == '\0') wrong("refused without a word");
  if (error == StoreError::none && store.header.total_size != store_size(store.header.gpu_count))
    wrong("took a store of another size than its GPUs need");
}

}  // namespace
}  // namespace nvmlab::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned choice = data[0];
  if (choice & 0x80) {
    nvmlab::fuzz::as_store(choice, data + 1, size - 1);
  } else {
    nvmlab::fuzz::as_image(choice, data + 1, size - 1);
  }
  return 0;
}
