// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/field_numbers.hpp"

#include <algorithm>
#include <iterator>

#include "nvmlab/nvml/generated/field_numbers.hpp"

namespace nvml::inline v1::detail {
namespace {

auto rows_of(unsigned id) noexcept {
  return std::ranges::equal_range(kFieldNumbers, id, {}, [](const FieldNumber& row) { return unsigned{row.id}; });
}

}  // namespace

bool was_renumbered(unsigned id) noexcept { return !rows_of(id).empty(); }

unsigned field_number(unsigned id, std::uint32_t driver) noexcept {
  for (const FieldNumber& row : rows_of(id)) {
    if (row.from <= driver && driver < row.until) return row.number;
  }
  return id;
}

}  // namespace nvml::inline v1::detail
