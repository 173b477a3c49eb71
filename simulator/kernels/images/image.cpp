// SPDX-License-Identifier: Apache-2.0
#include "kernels/images/image.hpp"

#include <cstring>
#include <string_view>

#include "kernels/images/fatbin.hpp"
#include "kernels/images/prelinked.hpp"

namespace nvmlab::kernels {
namespace {

constexpr std::uint32_t kWrapper = 0x466243B1;
constexpr std::uint32_t kElf = 0x464C457F;

// Of a text shorter than four characters no more than it has is read.
std::uint32_t magic_of(const char* data) {
  std::uint32_t magic = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    magic |= std::uint32_t{static_cast<unsigned char>(data[i])} << (8 * i);
    if (data[i] == '\0') break;
  }
  return magic;
}

// As a program has it that registers a fatbin: its magic number, which form this is, the fatbin, and in the second form
// the list of what was linked to it, which is all where the parts are PTX.
std::expected<PtxTexts, ImageFailure> of_wrapper(const char* wrapper, const ImageTarget& device) {
  constexpr std::uint32_t kLinked = 2;
  constexpr std::uint64_t kEmpty = 16;
  std::uint32_t form = 0;
  const char* data = nullptr;
  const char* const* parts = nullptr;
  std::memcpy(&form, wrapper + 4, sizeof form);
  std::memcpy(&data, wrapper + 8, sizeof data);
  std::memcpy(&parts, wrapper + 16, sizeof parts);
  if (data == nullptr) return failure(kInvalidImage, "the wrapper of a fatbin points nowhere");
  if (magic_of(data) != kFatbinMagic) return failure(kInvalidImage, "the wrapper of a fatbin points to something else");
  const std::uint64_t size = fatbin_size(data);
  if (size == 0) return failure(kInvalidImage, "the header of this fatbin is damaged");
  if (form == kLinked && parts != nullptr && size == kEmpty) return ptx_of_parts(parts, device);
  return ptx_in_fatbin({data, size}, device);
}

std::unexpected<ImageFailure> of_elf(const char* data) {
  constexpr std::uint16_t kCuda = 190;  // e_machine
  std::uint16_t machine = 0;
  std::memcpy(&machine, data + 18, sizeof machine);
  if (machine != kCuda)
    return failure(kInvalidImage, "this is an ELF file, and none for a GPU; hand over PTX or a fatbin");
  return failure(kNoBinaryForGpu, std::string("this is a cubin, which is code of a real GPU; ") + kHowToBuild);
}

}  // namespace

std::expected<PtxTexts, ImageFailure> ptx_of(const void* image, const ImageTarget& device) {
  const auto* data = static_cast<const char*>(image);
  const std::uint32_t magic = magic_of(data);
  if (magic == kWrapper) return of_wrapper(data, device);
  if (magic == kFatbinMagic) {
    const std::uint64_t size = fatbin_size(data);
    if (size == 0) return failure(kInvalidImage, "the header of this fatbin is damaged");
    return ptx_in_fatbin({data, size}, device);
  }
  if (magic == kElf) return of_elf(data);
  const std::size_t length = strnlen(data, kLongestText);
  if (length == 0) return failure(kInvalidImage, "the image is empty");
  const auto first = static_cast<unsigned char>(data[0]);
  if (first < ' ' && first != '\n' && first != '\t' && first != '\r')
    return failure(kInvalidImage, "this is neither PTX nor a fatbin nor a cubin");
  return PtxTexts{{std::string(data, length)}};
}

}  // namespace nvmlab::kernels
