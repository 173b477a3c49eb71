// SPDX-License-Identifier: Apache-2.0
//
// How boards take power and give heat away, fitted on public captures of boards under load by scripts/fit-load;
// docs/reference/profiles.md tells how well. Everything is a share of the board's default power limit, so boards
// without such a capture take the row of their family. Tests: tests/unit/evidence/load_errors_test.cpp.
#pragma once

#include "engine/state/generated/state.hpp"
#include "engine/topics/load/generated/board_physics.hpp"
#include "engine/topics/load/load_segment.hpp"

namespace nvmlab {

inline constexpr std::uint32_t kDieUs = 1'000'000;
inline constexpr std::uint32_t kMemoryUs = 1'500'000;
inline constexpr std::uint32_t kHotSpotPermille = 170;
inline constexpr std::uint32_t kFanPermille = 1000;

inline const BoardPhysics& physics_of(std::uint32_t device_id, bool fans, bool memory_sensor) {
  for (const BoardPhysics& board : kBoards) {
    if (board.device == device_id >> 16) return board;
  }
  return fans ? kWithFans : memory_sensor ? kWithHbm : kPassive;
}

// What a kind of load asks of a board.
struct Demand {
  std::uint8_t percent[kBusyEngines];  // SMs, memory, encoder, decoder
  std::uint32_t intensity_permille;    // how much of what heats most the SMs do
  std::uint32_t tx_permille;           // of what the PCI Express link carries
  std::uint32_t rx_permille;
  std::uint32_t link_permille;  // of what each NVLink carries one way, with all SMs at work
};
inline constexpr Demand kDemands[] = {
    {{0, 0, 0, 0}, 0, 0, 0, 0},            // idle
    {{98, 62, 0, 0}, 1000, 60, 110, 300},  // training
    {{72, 38, 0, 0}, 700, 25, 40, 80},     // inference
    {{100, 92, 0, 0}, 350, 15, 15, 0},     // memory
    {{9, 4, 95, 45}, 300, 20, 30, 0},      // encode
};

}  // namespace nvmlab
