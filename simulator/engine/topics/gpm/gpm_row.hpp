// SPDX-License-Identifier: Apache-2.0
// A row of the table of GPM metrics (drivers/nvml/generated/gpm_ids.hpp): its names, and which fields it comes from.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/state/field_offset.hpp"
#include "engine/state/generated/state.hpp"

namespace nvmlab {

enum class GpmSource : std::uint8_t {
  percent,         // a share of the time, or the share of it that the second field says
  engine_percent,  // of the engine with that number; the second field says how many there are
  kbps,            // a rate that the state knows
  since_boot,      // a counter
  link_rate,       // growth of a link's counter
  link_rate_sum,
  link_since_boot,
  c2c_rate,  // growth of the counter of a chip-to-chip link
  c2c_rate_sum,
  graphics_count,    // growth of a graphics engine's counter
  graphics_ratio,    // growth of one to growth of the other
  graphics_percent,  // the same in percent
};

struct GpmRow {
  std::uint16_t id = 0;
  // In place: pointers would be most of what the loader relocates when a client opens the library.
  char name[32] = "";
  char unit[8] = "";
  GpmSource source{};
  std::uint16_t number = 0;  // of a link or of an engine
  std::size_t offsets[2] = {kNoField, kNoField};
};

}  // namespace nvmlab
