// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/hooks/field_places.hpp"

#include "drivers/nvml/hooks/nvlink.hpp"

namespace nvmlab::driver {
namespace {

// Where the rows of each id begin; by one id drivers may mean several things.
struct FirstRows {
  std::uint16_t of[kFieldIdCount + 1] = {};
};
constexpr FirstRows kFirstRows = [] {
  FirstRows first;
  std::uint16_t row = 0;
  for (std::uint32_t id = 0; id <= kFieldIdCount; ++id) {
    while (row < kFieldRowCount && kFieldRows[row].id < id)
      ++row;
    first.of[id] = row;
  }
  return first;
}();

template <class Items>
Place item_place(const Gpu& gpu, std::size_t list, std::uint32_t number, std::size_t within) {
  if (number >= Items::capacity || number >= length_at(gpu, list)) return {NVML_ERROR_NOT_SUPPORTED, 0};
  return {NVML_SUCCESS, list + offsetof(Items, items) + number * sizeof(typename Items::Item) + within};
}

}  // namespace

const FieldRow* find_row(std::uint32_t id, std::uint64_t driver) {
  if (id >= kFieldIdCount) return nullptr;
  for (std::uint32_t row = kFirstRows.of[id]; row < kFirstRows.of[id + 1]; ++row) {
    if ((kFieldRows[row].drivers & driver) != 0) return &kFieldRows[row];
  }
  return nullptr;
}

std::uint32_t length_at(const Gpu& gpu, std::size_t list) {
  return __atomic_load_n(reinterpret_cast<const std::uint32_t*>(reinterpret_cast<const unsigned char*>(&gpu) + list),
                         __ATOMIC_ACQUIRE);
}

Place link_place(const Gpu& gpu, std::uint32_t number, std::size_t within) {
  if (const nvmlReturn_t code = check_link(gpu, number); code != NVML_SUCCESS) return {code, 0};
  return item_place<decltype(Nvlink::links)>(gpu, offsetof(Gpu, nvlink.links), number, within);
}

Place place_of(const Gpu& gpu, const FieldRow& row, std::uint32_t scope) {
  switch (row.source) {
    case FieldSource::plain:
      return {NVML_SUCCESS, row.offsets[0]};
    case FieldSource::scoped:
      if (scope > 2) return {NVML_ERROR_INVALID_ARGUMENT, 0};
      return {row.offsets[scope] == kNoField ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS, row.offsets[scope]};
    case FieldSource::link_of_scope:
      return link_place(gpu, scope, row.offsets[0]);
    case FieldSource::link_of_number:
      return link_place(gpu, row.number, row.offsets[0]);
    case FieldSource::port_of_scope: {
      if (scope >= link_limit()) return {NVML_ERROR_INVALID_ARGUMENT, 0};
      return item_place<decltype(NvlinkPorts::ports)>(gpu, offsetof(Gpu, nvlink_ports.ports), scope, row.offsets[0]);
    }
    case FieldSource::c2c_of_scope:
      return item_place<decltype(C2c::links)>(gpu, offsetof(Gpu, c2c.links), scope, row.offsets[0]);
    case FieldSource::profile_of_scope:
      return item_place<decltype(Power::smoothing_profiles)>(gpu, offsetof(Gpu, power.smoothing_profiles), scope,
                                                             row.offsets[0]);
    default:
      return {NVML_ERROR_NOT_SUPPORTED, 0};
  }
}

}  // namespace nvmlab::driver
