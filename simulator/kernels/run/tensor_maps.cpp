// SPDX-License-Identifier: Apache-2.0
#include "kernels/run/tensor_maps.hpp"

#include <cstddef>
#include <cstring>

#include "kernels/kernels_api.h"
#include "kernels/run/block.hpp"
#include "kernels/run/groups.hpp"

namespace nvmlab::kernels {
namespace {

using Map = nvmlab_tensor_map;
static_assert(sizeof(Map) == 128);

// Where a field lies, and what is written there.
struct Change {
  std::size_t at;
  std::size_t bytes;
  std::uint64_t value;
};

// PTX counts the types in another order than the driver.
std::uint64_t driver_type(std::uint64_t type) {
  constexpr std::uint8_t kTypes[] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12, 13, 14, 15};
  return kTypes[type % sizeof kTypes];
}

Change change_of(TensorField field, std::size_t dimension, std::uint64_t value) {
  switch (field) {
    case TensorField::global_address:
      return {offsetof(Map, address), sizeof Map::address, value};
    case TensorField::rank:  // one less already
      return {offsetof(Map, last_dimension), 1, value};
    case TensorField::box_dim:
      return {offsetof(Map, box) + dimension * 2, 2, value};
    case TensorField::global_dim:
      return {offsetof(Map, last) + dimension * 4, 4, value - 1};
    case TensorField::global_stride:
      return {offsetof(Map, stride) + dimension * 8, 8, value};
    case TensorField::element_stride:
      return {offsetof(Map, step) + dimension, 1, value};
    case TensorField::elemtype:
      return {offsetof(Map, type), 1, driver_type(value)};
    case TensorField::interleave_layout:
      return {offsetof(Map, interleave), 1, value};
    case TensorField::swizzle_mode:
      return {offsetof(Map, swizzle), 1, value};
    case TensorField::fill_mode:
      return {offsetof(Map, fill), 1, value};
    case TensorField::swizzle_atomicity:
      break;
  }
  return {offsetof(Map, atomicity), 1, value};
}

}  // namespace

void replace_tensor_field(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const auto field = static_cast<TensorField>(code.imm & 0xFF);
  for_each_lane(warp, mask, [&](std::uint32_t lane) {
    const Change change = change_of(field, code.imm >> 8, value_of(warp, code.r[1], lane));
    const std::uint64_t to = value_of(warp, code.r[0], lane) + change.at;
    if (may_reach(warp, to, change.bytes, lane)) std::memcpy(reinterpret_cast<void*>(to), &change.value, change.bytes);
  });
}

}  // namespace nvmlab::kernels
