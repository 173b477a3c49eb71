// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/memory/arrays.hpp"

#include "drivers/cuda/memory/allocations.hpp"

namespace nvmlab::cuda {
namespace {

constinit Pool<ArrayState, ObjectKind::array> arrays;
constinit Pool<MipmapState, ObjectKind::mipmap> mipmaps;

std::uint64_t number(const void* handle) { return reinterpret_cast<std::uint64_t>(handle); }

// What the programming guide's largest device takes; products of them do not overflow.
constexpr std::uint64_t kWidest = 131072;
constexpr std::uint64_t kHighest = 131072;
constexpr std::uint64_t kDeepest = 16384;

CUresult check(const CUDA_ARRAY3D_DESCRIPTOR& of) {
  if (of.Width == 0 || of.Width > kWidest || of.Height > kHighest || of.Depth > kDeepest ||
      element_bytes(of.Format, of.NumChannels) == 0)
    return CUDA_ERROR_INVALID_VALUE;
  const bool layered = (of.Flags & kLayered) != 0;
  const bool cube = (of.Flags & kCubemap) != 0;
  if (cube && (of.Width != of.Height || of.Depth == 0 || of.Depth % 6 != 0 || (!layered && of.Depth != 6)))
    return CUDA_ERROR_INVALID_VALUE;
  if (layered && of.Depth == 0) return CUDA_ERROR_INVALID_VALUE;
  return of.Depth != 0 && of.Height == 0 && !layered ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

std::uint64_t bytes_of(const CUDA_ARRAY3D_DESCRIPTOR& of) { return row_bytes(of) * rows_of(of) * slices_of(of); }

CUresult keep(CUcontext context, const CUDA_ARRAY3D_DESCRIPTOR& of, std::uint64_t memory, CUmipmappedArray owner,
              CUarray* out) {
  std::uint64_t made = 0;
  ArrayState* const array = arrays.create(&made);
  if (array == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *array = {context, of, memory, bytes_of(of), owner};
  *out = reinterpret_cast<CUarray>(made);
  return CUDA_SUCCESS;
}

std::size_t halved(std::size_t size, std::uint32_t level) {
  return size == 0 ? 0 : (size >> level) == 0 ? 1 : size >> level;
}

CUDA_ARRAY3D_DESCRIPTOR level_of(const CUDA_ARRAY3D_DESCRIPTOR& of, std::uint32_t level) {
  CUDA_ARRAY3D_DESCRIPTOR made = of;
  made.Width = halved(of.Width, level);
  made.Height = halved(of.Height, level);
  if ((of.Flags & (kLayered | kCubemap)) == 0) made.Depth = halved(of.Depth, level);
  return made;
}

}  // namespace

std::uint32_t element_bytes(int format, std::uint32_t channels) {
  if (channels != 1 && channels != 2 && channels != 4) return 0;
  switch (format) {
    case 0x01:
    case 0x08:
      return channels;
    case 0x02:
    case 0x09:
    case 0x10:
      return channels * 2;
    case 0x03:
    case 0x0A:
    case 0x20:
      return channels * 4;
    default:
      return 0;
  }
}

std::uint64_t row_bytes(const CUDA_ARRAY3D_DESCRIPTOR& of) {
  return of.Width * element_bytes(of.Format, of.NumChannels);
}
std::uint64_t rows_of(const CUDA_ARRAY3D_DESCRIPTOR& of) { return of.Height == 0 ? 1 : of.Height; }
std::uint64_t slices_of(const CUDA_ARRAY3D_DESCRIPTOR& of) { return of.Depth == 0 ? 1 : of.Depth; }

CUresult create_array(CUcontext context, const CUDA_ARRAY3D_DESCRIPTOR& of, CUarray* out) {
  if (const CUresult code = check(of); code != CUDA_SUCCESS) return code;
  std::uint64_t memory = 0;
  CUresult code = allocate(context, MemoryKind::device, bytes_of(of), 0, &memory);
  if (code != CUDA_SUCCESS) return code;
  code = keep(context, of, memory, nullptr, out);
  if (code != CUDA_SUCCESS) release_allocation(memory, false);
  return code;
}

CUresult create_mipmap(CUcontext context, const CUDA_ARRAY3D_DESCRIPTOR& of, std::uint32_t levels,
                       CUmipmappedArray* out) {
  if (const CUresult code = check(of); code != CUDA_SUCCESS) return code;
  std::size_t most = of.Width > of.Height ? of.Width : of.Height;
  if ((of.Flags & (kLayered | kCubemap)) == 0 && of.Depth > most) most = of.Depth;
  std::uint32_t fit = 1;
  while (most >> fit != 0 && fit < kMostLevels)
    ++fit;
  if (levels == 0) return CUDA_ERROR_INVALID_VALUE;
  std::uint64_t made = 0;
  MipmapState* const mipmap = mipmaps.create(&made);
  if (mipmap == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  mipmap->context = context;
  mipmap->of = of;
  mipmap->levels = levels < fit ? levels : fit;
  for (std::uint32_t i = 0; i < mipmap->levels; ++i) {
    mipmap->level_at[i] = mipmap->bytes;
    mipmap->bytes += bytes_of(level_of(of, i));
  }
  CUresult code = allocate(context, MemoryKind::device, mipmap->bytes, 0, &mipmap->memory);
  const auto owner = reinterpret_cast<CUmipmappedArray>(made);
  for (std::uint32_t i = 0; code == CUDA_SUCCESS && i < mipmap->levels; ++i)
    code = keep(context, level_of(of, i), mipmap->memory + mipmap->level_at[i], owner, &mipmap->level[i]);
  if (code != CUDA_SUCCESS) {
    destroy_mipmap(owner);
    return code;
  }
  *out = owner;
  return CUDA_SUCCESS;
}

ArrayState* find_array(CUarray handle) { return arrays.find(number(handle)); }
MipmapState* find_mipmap(CUmipmappedArray handle) { return mipmaps.find(number(handle)); }

CUresult destroy_array(CUarray handle) {
  const ArrayState* const array = find_array(handle);
  if (array == nullptr || array->owner != nullptr) return CUDA_ERROR_INVALID_HANDLE;
  release_allocation(array->memory, false);
  arrays.remove(number(handle));
  return CUDA_SUCCESS;
}

CUresult destroy_mipmap(CUmipmappedArray handle) {
  const MipmapState* const mipmap = find_mipmap(handle);
  if (mipmap == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  for (const CUarray each : mipmap->level)
    arrays.remove(number(each));
  if (mipmap->memory != 0) release_allocation(mipmap->memory, false);
  mipmaps.remove(number(handle));
  return CUDA_SUCCESS;
}

void release_arrays_of(CUcontext context) {
  arrays.remove_where([context](const ArrayState& each) { return each.context == context; });
  mipmaps.remove_where([context](const MipmapState& each) { return each.context == context; });
}

}  // namespace nvmlab::cuda
