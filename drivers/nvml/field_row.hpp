// SPDX-License-Identifier: Apache-2.0
// A row of the table of NVML_FI_* ids (generated/field_ids.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "drivers/nvml/shapes/read.hpp"

namespace nvmlab::driver {

enum class FieldSource : std::uint8_t {
  plain,           // one field; the scope is not looked at, as nvidia-smi leaves it uninitialised
  scoped,          // one field for each scope
  link_of_scope,   // the scope is an NVLink number
  link_of_number,  // the id itself names the link
  link_count,
  switched_link_count,  // links that end at a switch
  constant
};

enum class FieldValue : std::uint8_t { u32, i32, u64 };

struct FieldRow {
  std::uint16_t id;
  FieldSource source;
  FieldValue type;
  std::uint32_t number;
  std::uint64_t drivers;  // in which the id means this
  std::size_t offsets[3];
};

}  // namespace nvmlab::driver
