// SPDX-License-Identifier: Apache-2.0
// The table of NVML_FI_* ids: which row an id has in a driver, and where in a GPU its value lies.
#pragma once

#include "drivers/nvml/generated/field_ids.hpp"
#include "drivers/nvml/hooks/fetch.hpp"

namespace nvmlab::driver {

inline constexpr std::uint32_t kFieldRowCount = sizeof kFieldRows / sizeof kFieldRows[0];
inline constexpr std::uint32_t kFieldIdCount = kFieldRows[kFieldRowCount - 1].id + 1;  // they are sorted by id

// What an id means in a driver, given as a bit of FieldRow::drivers; null when it means nothing there.
const FieldRow* find_row(std::uint32_t id, std::uint64_t driver);

inline std::uint64_t driver_bit() { return std::uint64_t{1} << (simulated_row() & 63); }

// Where a fact lies within a Gpu, or why there is none.
struct Place {
  nvmlReturn_t code;
  std::size_t offset;
};

// Of the rows that stand for one fact.
Place place_of(const Gpu& gpu, const FieldRow& row, std::uint32_t scope);

Place link_place(const Gpu& gpu, std::uint32_t number, std::size_t within);

// How many items the list has that lies at an offset.
std::uint32_t length_at(const Gpu& gpu, std::size_t list);

}  // namespace nvmlab::driver
