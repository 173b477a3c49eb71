// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/memory/copy_boxes.hpp"

#include <cstring>
#include <initializer_list>

#include "drivers/cuda/memory/allocations.hpp"
#include "drivers/cuda/memory/arrays.hpp"

namespace nvmlab::cuda {
namespace {

// A number of a caller, whose sums and products are told when they do not fit.
class Exact {
 public:
  constexpr Exact(std::uint64_t value) : value_(value) {}
  Exact operator+(Exact other) const {
    std::uint64_t sum = 0;
    const bool overflow = __builtin_add_overflow(value_, other.value_, &sum);
    return {sum, fits_ && other.fits_ && !overflow};
  }
  Exact operator*(Exact other) const {
    std::uint64_t product = 0;
    const bool overflow = __builtin_mul_overflow(value_, other.value_, &product);
    return {product, fits_ && other.fits_ && !overflow};
  }
  bool below(std::uint64_t limit) const { return fits_ && value_ < limit; }
  std::uint64_t value() const { return value_; }

 private:
  constexpr Exact(std::uint64_t value, bool fits) : value_(value), fits_(fits) {}
  std::uint64_t value_;
  bool fits_ = true;
};

constexpr std::uint64_t kAddresses = std::uint64_t{1} << 47;

CUresult in_array(const CopyEnd& end, const BoxCopy& of, PlacedBox* box) {
  const ArrayState* const array = find_array(end.array);
  if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const std::uint64_t row = row_bytes(array->of);
  const std::uint64_t rows = rows_of(array->of);
  const std::uint64_t slices = slices_of(array->of);
  if (end.x > row || of.width > row - end.x || end.y > rows || of.height > rows - end.y || end.z > slices ||
      of.depth > slices - end.z)
    return CUDA_ERROR_INVALID_VALUE;
  *box = {array->memory + (end.z * rows + end.y) * row + end.x, row, row * rows, 0, end.array, false};
  return CUDA_SUCCESS;
}

CUresult place_end(const CopyEnd& end, const BoxCopy& of, PlacedBox* box) {
  if (end.level != 0) return CUDA_ERROR_INVALID_VALUE;
  if (end.type == kArrayEnd) return in_array(end, of, box);
  if (end.type != kHostEnd && end.type != kDeviceEnd && end.type != kUnifiedEnd) return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t begin = end.type == kHostEnd ? end.host : end.device;
  const Exact x = end.x;
  const Exact y = end.y;
  const Exact pitch = end.pitch == 0 ? x + of.width : Exact(end.pitch);
  const Exact rows = end.height == 0 ? y + of.height : Exact(end.height);
  const Exact slice = pitch * rows;
  const Exact address = Exact(begin) + slice * end.z + pitch * y + x;
  const Exact extent = slice * (of.depth - 1) + pitch * (of.height - 1) + of.width;
  if (begin == 0 || !address.below(kAddresses) || !(address + extent).below(kAddresses) ||
      !(x + of.width).below(pitch.value() + 1) || (of.depth > 1 && !(y + of.height).below(rows.value() + 1)))
    return CUDA_ERROR_INVALID_VALUE;
  *box = {address.value(), pitch.value(), slice.value(), extent.value(), nullptr, false};
  box->known = find_allocation(box->address) != nullptr;
  const bool needed = end.type == kDeviceEnd || box->known;
  return needed && !on_device(box->address, box->extent) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

// Another thread may have freed it since it was asked for, or a graph was launched later; while the copy runs nothing
// is freed.
bool still_there(const PlacedBox& box) {
  if (box.array != nullptr) return find_array(box.array) != nullptr;
  return !box.known || on_device(box.address, box.extent);
}

CUresult run_box(void* payload, CUresult) {
  const PlacedCopy& of = *static_cast<const PlacedCopy*>(payload);
  {
    const Locked lock;
    if (!still_there(of.to) || !still_there(of.from)) return CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  for (std::uint64_t z = 0; z < of.asked.depth; ++z) {
    for (std::uint64_t y = 0; y < of.asked.height; ++y)
      std::memmove(reinterpret_cast<void*>(of.to.address + z * of.to.slice + y * of.to.pitch),
                   reinterpret_cast<const void*>(of.from.address + z * of.from.slice + y * of.from.pitch),
                   of.asked.width);
  }
  return CUDA_SUCCESS;
}

CopyEnd line_end(int type, std::uint64_t address) {
  CopyEnd end{};
  end.type = type;
  (type == kHostEnd ? end.host : end.device) = address;
  return end;
}

}  // namespace

BoxCopy box_copy(const CUDA_MEMCPY3D& of) {
  BoxCopy asked{};
  std::memcpy(&asked, static_cast<const void*>(&of), sizeof asked);
  return asked;
}

BoxCopy line_copy(int to_type, std::uint64_t to, int from_type, std::uint64_t from, std::uint64_t bytes) {
  return {line_end(from_type, from), line_end(to_type, to), bytes, 1, 1};
}

CUresult place_copy(const BoxCopy& asked, PlacedCopy* out) {
  if (asked.width == 0 || asked.height == 0 || asked.depth == 0) return CUDA_ERROR_INVALID_VALUE;
  out->asked = asked;
  const CUresult code = place_end(asked.from, asked, &out->from);
  return code == CUDA_SUCCESS ? place_end(asked.to, asked, &out->to) : code;
}

CUresult make_copy(const PlacedCopy& placed, WorkItem** out) {
  return make_item({run_box, nullptr, false, WorkType::copy}, placed, out);
}

CUresult make_copy(const BoxCopy& asked, WorkItem** out) {
  PlacedCopy placed{};
  const CUresult code = place_copy(asked, &placed);
  return code == CUDA_SUCCESS ? make_copy(placed, out) : code;
}

}  // namespace nvmlab::cuda
