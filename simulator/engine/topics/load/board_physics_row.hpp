// SPDX-License-Identifier: Apache-2.0
// A row of the table of how boards take power and give heat away (generated/board_physics.hpp).
#pragma once

#include <cstdint>

namespace nvmlab {

// Of the default power limit, in thousandths, and of what it takes beyond the idle board.
struct BoardPhysics {
  std::uint16_t device;            // PCI device id; 0: a family
  std::uint32_t awake_permille;    // with clocks up and no work
  std::uint32_t active_permille;   // of what the SMs share, once a fifth of them works
  std::uint32_t compute_permille;  // all SMs busy with what heats most, beyond that
  std::uint32_t memory_permille;   // memory read and written all the time
  std::uint32_t encoder_mw;        // all encoders busy
  std::uint32_t rise_mk;           // of the chip above the air, steady, at the limit
  std::uint32_t die_permille;      // of that rise, what comes at once
  std::uint32_t memory_rise_mk;    // of the memory above the heat sink, steady, at full traffic and compute
  std::uint32_t sink_us;           // time constant of the heat sink
};

}  // namespace nvmlab
