// SPDX-License-Identifier: Apache-2.0
#include "kernels/images/image.hpp"

#include <dlfcn.h>

#include <cstring>
#include <string_view>

namespace nvmlab::kernels {
namespace {

constexpr int kInvalidImage = 200;
constexpr int kNoBinaryForGpu = 209;
constexpr std::uint32_t kWrapper = 0x466243B1;
constexpr std::uint32_t kFatbin = 0xBA55ED50;
constexpr std::uint32_t kElf = 0x464C457F;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;
constexpr std::uint64_t kLongestText = std::uint64_t{1} << 30;

constexpr const char* kHowToBuild =
    "kernels run from PTX; build with -gencode arch=compute_80,code=compute_80, or hand over PTX text";

template <class T>
T at(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::unexpected<ImageFailure> failure(int code, std::string text) {
  return std::unexpected(ImageFailure{code, std::move(text)});
}

struct Entry {
  std::uint16_t kind;
  std::uint32_t target;
  std::uint64_t flags;
  std::uint64_t whole;  // size once it is decompressed
  std::string_view payload;
};

// LZ4 and zstd by the libraries of the system.
std::expected<std::string, ImageFailure> decompressed(const Entry& entry) {
  constexpr std::uint64_t kLz4 = 0x2000;
  constexpr std::uint64_t kZstd = 0x8000;
  if ((entry.flags & (kLz4 | kZstd)) == 0) return std::string(entry.payload);
  if (entry.whole > kLongestText) return failure(kInvalidImage, "the PTX in a fatbin says to be longer than 1 GiB");
  std::string text(entry.whole, '\0');
  const bool lz4 = (entry.flags & kLz4) != 0;
  const char* const name = lz4 ? "liblz4.so.1" : "libzstd.so.1";
  void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  void* const function = library == nullptr ? nullptr : dlsym(library, lz4 ? "LZ4_decompress_safe" : "ZSTD_decompress");
  if (function == nullptr)
    return failure(kNoBinaryForGpu,
                   std::string("the PTX in this fatbin is compressed, and ") + name + " is not there; install it");
  std::uint64_t written = 0;
  if (lz4) {
    const int size = reinterpret_cast<int (*)(const char*, char*, int, int)>(function)(
        entry.payload.data(), text.data(), static_cast<int>(entry.payload.size()), static_cast<int>(text.size()));
    written = size < 0 ? 0 : static_cast<std::uint64_t>(size);
  } else {
    written = reinterpret_cast<std::size_t (*)(void*, std::size_t, const void*, std::size_t)>(function)(
        text.data(), text.size(), entry.payload.data(), entry.payload.size());
  }
  if (written != text.size()) return failure(kInvalidImage, "the compressed PTX in this fatbin is damaged");
  return text;
}

// The newest PTX that the device takes; cubins are counted for the message.
std::expected<std::string, ImageFailure> from_fatbin(const char* data, std::uint32_t target) {
  const auto header = at<std::uint16_t>(data + 6);
  const auto size = at<std::uint64_t>(data + 8);
  if (header < 16 || size > kMostBytes) return failure(kInvalidImage, "the header of this fatbin is damaged");
  const char* const entries = data + header;
  Entry best{};
  std::uint32_t cubins = 0;
  std::uint32_t too_new = 0;
  for (std::uint64_t offset = 0; offset + 64 <= size;) {
    const char* const from = entries + offset;
    const auto own_header = at<std::uint32_t>(from + 4);
    const auto payload = at<std::uint64_t>(from + 8);
    if (own_header < 64 || own_header > size - offset || payload > size - offset - own_header)
      return failure(kInvalidImage, "an entry of this fatbin leaves it");
    Entry entry{at<std::uint16_t>(from),
                at<std::uint32_t>(from + 28),
                at<std::uint64_t>(from + 40),
                at<std::uint64_t>(from + 56),
                {}};
    const auto packed = at<std::uint32_t>(from + 16);
    entry.payload = {from + own_header, packed != 0 && packed <= payload ? packed : payload};
    if (entry.kind == 1 && entry.target <= target && (best.payload.empty() || entry.target > best.target)) best = entry;
    if (entry.kind == 1 && entry.target > target) ++too_new;
    if (entry.kind == 2) ++cubins;
    offset += own_header + payload;
  }
  if (best.payload.empty())
    return failure(kNoBinaryForGpu, "this fatbin has no PTX for compute capability " + std::to_string(target / 10) +
                                        "." + std::to_string(target % 10) + " (" + std::to_string(cubins) +
                                        " cubins, " + std::to_string(too_new) + " newer PTX); " + kHowToBuild);
  auto text = decompressed(best);
  if (text) text->resize(std::strlen(text->c_str()));
  return text;
}

}  // namespace

std::expected<std::string, ImageFailure> ptx_of(const void* image, std::uint32_t target) {
  const auto* data = static_cast<const char*>(image);
  // Of a text shorter than four characters no more than it has is read.
  std::uint32_t magic = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    magic |= std::uint32_t{static_cast<unsigned char>(data[i])} << (8 * i);
    if (data[i] == '\0') break;
  }
  if (magic == kWrapper) {
    data = at<const char*>(data + 8);
    if (data == nullptr) return failure(kInvalidImage, "the wrapper of a fatbin points nowhere");
    magic = at<std::uint32_t>(data);
  }
  if (magic == kFatbin) return from_fatbin(data, target);
  if (magic == kElf)
    return failure(kNoBinaryForGpu, std::string("this is a cubin, which is code of a real GPU; ") + kHowToBuild);
  const std::size_t length = strnlen(data, kLongestText);
  if (length == 0) return failure(kInvalidImage, "the image is empty");
  return std::string(data, length);
}

}  // namespace nvmlab::kernels
