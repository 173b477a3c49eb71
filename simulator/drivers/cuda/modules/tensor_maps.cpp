// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/modules/tensor_maps.hpp"

namespace nvmlab::cuda {
namespace {

static_assert(sizeof(nvmlab_tensor_map) == sizeof(CUtensorMap));

enum Interleave : int { kDense, kOf16, kOf32 };
// As cuda.h counts them: the last three are of 128 bytes, whose atoms are larger.
enum Swizzle : int { kNone, kSwizzle32, kSwizzle64, kSwizzle128, kAtoms32, kAtoms32Flipped, kAtoms64 };

// Four and six bits an element, in groups of 16.
constexpr int kFours = 13;
constexpr int kPaddedFours = 14;
constexpr int kPaddedSixes = 15;
constexpr int kTypes = 16;

// 0: its elements are no whole bytes.
std::uint64_t bytes_of(int type) {
  constexpr std::uint8_t kBytes[kTypes] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4, 0, 0, 0};
  return kBytes[type];
}
bool is_floating(int type) { return type >= 6 && type <= 12; }
bool is_padded(int type) { return type == kPaddedFours || type == kPaddedSixes; }

bool between(std::int64_t low, std::int64_t value, std::int64_t high) { return value >= low && value <= high; }

std::uint64_t alignment_of(int type, int interleave) { return interleave == kOf32 || is_padded(type) ? 32 : 16; }

bool are_good_numbers(const TensorAsked& of) {
  if (!between(0, of.type, kTypes - 1) || !between(0, of.interleave, kOf32) || !between(0, of.swizzle, kAtoms64) ||
      !between(0, of.promotion, 3) || !between(0, of.fill, 1))
    return false;
  if (of.rank == 0 || of.rank > NVMLAB_TENSOR_RANK || (of.interleave != kDense && of.rank < 3)) return false;
  if (of.interleave == kOf32 && of.swizzle != kSwizzle32) return false;
  return of.fill == 0 || is_floating(of.type);
}

bool are_good_sizes(const TensorAsked& of) {
  constexpr std::uint64_t kMostElements = std::uint64_t{1} << 32;
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
  const std::uint64_t alignment = alignment_of(of.type, of.interleave);
  for (std::uint32_t i = 0; i < of.rank; ++i) {
    if (of.sizes[i] == 0 || of.sizes[i] > kMostElements || of.steps[i] == 0 || of.steps[i] > 8) return false;
    if (i > 0 && (of.strides[i - 1] % alignment != 0 || of.strides[i - 1] >= kMostBytes)) return false;
  }
  const std::uint64_t group = is_padded(of.type) ? 128 : of.type == kFours ? 2 : 1;
  return of.sizes[0] % group == 0;
}

// A row of a box: whole pieces of 16 bytes, and no longer than what is swizzled.
bool is_good_row(const TensorAsked& of, std::uint64_t elements) {
  if (of.interleave != kDense) return true;
  if (is_padded(of.type)) return elements == 128;
  const std::uint64_t row = of.type == kFours ? elements / 2 : elements * bytes_of(of.type);
  constexpr std::uint64_t kLongest[] = {~std::uint64_t{0}, 32, 64, 128, 128, 128, 128};
  return row % 16 == 0 && row <= kLongest[of.swizzle];
}

CUresult check(const TensorAsked& of) {
  if (of.sizes == nullptr || of.steps == nullptr || (of.strides == nullptr && of.rank > 1) || !are_good_numbers(of) ||
      of.address % alignment_of(of.type, of.interleave) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  return are_good_sizes(of) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void write(const TensorAsked& of, std::uint8_t kind, nvmlab_tensor_map* out) {
  *out = {};
  out->magic = NVMLAB_TENSOR_MAP;
  out->kind = kind;
  out->last_dimension = static_cast<std::uint8_t>(of.rank - 1);
  out->type = static_cast<std::uint8_t>(of.type);
  out->interleave = static_cast<std::uint8_t>(of.interleave);
  out->swizzle = static_cast<std::uint8_t>(of.swizzle < kSwizzle128 ? of.swizzle : kSwizzle128);
  out->atomicity = static_cast<std::uint8_t>(of.swizzle < kSwizzle128 ? 0 : of.swizzle - kSwizzle128);
  out->fill = static_cast<std::uint8_t>(of.fill);
  out->promotion = static_cast<std::uint8_t>(of.promotion);
  out->address = of.address;
  for (std::uint32_t i = 0; i < of.rank; ++i) {
    out->last[i] = static_cast<std::uint32_t>(of.sizes[i] - 1);
    out->step[i] = static_cast<std::uint8_t>(of.steps[i]);
    if (i > 0) out->stride[i - 1] = of.strides[i - 1];
  }
}

}  // namespace

CUresult tiled_map(const TensorAsked& asked, const cuuint32_t* box, nvmlab_tensor_map* out) {
  if (box == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult code = check(asked); code != CUDA_SUCCESS) return code;
  for (std::uint32_t i = 0; i < asked.rank; ++i) {
    if (box[i] == 0 || box[i] > 256) return CUDA_ERROR_INVALID_VALUE;
  }
  if (!is_good_row(asked, box[0])) return CUDA_ERROR_INVALID_VALUE;
  write(asked, NVMLAB_TENSOR_TILED, out);
  for (std::uint32_t i = 0; i < asked.rank; ++i)
    out->box[i] = static_cast<std::uint16_t>(box[i]);
  return CUDA_SUCCESS;
}

CUresult im2col_map(const TensorAsked& asked, const Im2colAsked& columns, nvmlab_tensor_map* out) {
  if (columns.lower == nullptr || columns.upper == nullptr || asked.rank < 3) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult code = check(asked); code != CUDA_SUCCESS) return code;
  if (!between(1, columns.channels, 256) || !between(1, columns.pixels, 1024) || !is_good_row(asked, columns.channels))
    return CUDA_ERROR_INVALID_VALUE;
  write(asked, NVMLAB_TENSOR_IM2COL, out);
  out->box[0] = static_cast<std::uint16_t>(columns.channels);
  out->box[1] = static_cast<std::uint16_t>(columns.pixels);
  constexpr int kFarthest[] = {1 << 15, 1 << 7, 1 << 4};  // of three dimensions, four and five
  const int far = kFarthest[asked.rank - 3];
  for (std::uint32_t i = 0; i < asked.rank - 2; ++i) {
    if (!between(-far, columns.lower[i], far - 1) || !between(-far, columns.upper[i], far - 1))
      return CUDA_ERROR_INVALID_VALUE;
    out->lower[i] = static_cast<std::int16_t>(columns.lower[i]);
    out->upper[i] = static_cast<std::int16_t>(columns.upper[i]);
  }
  return CUDA_SUCCESS;
}

bool may_begin_at(const nvmlab_tensor_map& map, std::uint64_t address) {
  return address % alignment_of(map.type, map.interleave) == 0;
}

}  // namespace nvmlab::cuda
