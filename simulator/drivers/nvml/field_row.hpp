// SPDX-License-Identifier: Apache-2.0
// A row of the table of NVML_FI_* ids (generated/field_ids.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "drivers/nvml/shapes/read.hpp"

namespace nvmlab::driver {

enum class FieldSource : std::uint8_t {
  plain,                // one field; the scope is not looked at, as nvidia-smi leaves it uninitialised
  scoped,               // one field for each scope
  link_of_scope,        // of the NVLink link that the scope names
  link_of_number,       // the id itself names the link
  link_sum,             // over all links
  port_of_scope,        // of the packet counters of the link that the scope names
  c2c_of_scope,         // of the chip-to-chip link that the scope names
  profile_of_scope,     // of the preset profile of power smoothing that the scope names
  bandwidth_of_number,  // what a set of utilization counters of one link counted, both ways
  bandwidth_sum,        // over all links
  length,               // of a list, where another field says that the board has it
  link_count,
  switched_link_count,  // links that end at a switch
  c2c_count,
  refused,
};

enum class FieldValue : std::uint8_t { u32, i32, u64 };

struct FieldRow {
  std::uint16_t id = 0;
  FieldSource source = FieldSource::plain;
  FieldValue type = FieldValue::u32;
  bool clears = false;        // nvmlDeviceClearFieldValues sets it back to zero
  std::uint16_t times = 1;    // the value is the field's times this
  std::uint32_t number = 0;   // of a link, of a set of counters (64 to the set), or the code of a refusal
  std::uint64_t drivers = 0;  // in which the id means this
  std::size_t offsets[3] = {kNoField, kNoField, kNoField};
};

inline constexpr std::uint32_t kLinksOfSet = 64;

}  // namespace nvmlab::driver
