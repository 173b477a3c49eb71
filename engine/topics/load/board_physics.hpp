// SPDX-License-Identifier: Apache-2.0
//
// How boards take power and give heat away, fitted on public captures of boards under load; docs/reference/profiles.md
// tells how well. Everything is a share of the board's default power limit, so boards without such a capture take the
// row of their family. Tests: tests/unit/evidence/load_errors_test.cpp.
#pragma once

#include "engine/topics/generated/state.hpp"
#include "engine/topics/load/load_segment.hpp"

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

inline constexpr std::uint32_t kDieUs = 1'000'000;
inline constexpr std::uint32_t kMemoryUs = 1'500'000;
inline constexpr std::uint32_t kHotSpotPermille = 170;
inline constexpr std::uint32_t kFanPermille = 1000;

// Captures of utkuozdemir/nvidia_gpu_exporter, MIT: gpu_burn on the H100, whole and on a 3g instance (driver
// 590.48.01), FFmpeg with NVENC on the L40S (595.80) and the RTX 2080 SUPER (595.71.05). By their time stamps
// `nvidia-smi -q` looked some 3 s after the load had begun and `dmon` from 9 to 13 s after.
// tool/evidence/load_captures.cpp has what they show.
inline constexpr BoardPhysics kBoards[] = {
    {0x2330, 86, 196, 505, 157, 40'000, 45'800, 459, 10'600, 30'000'000},  // H100 SXM5 80 GB
    {0x26B9, 83, 100, 620, 130, 99'000, 33'000, 636, 10'600, 30'000'000},  // L40S
    {0x1E81, 84, 100, 620, 130, 32'000, 42'000, 460, 10'600, 90'000'000},  // GeForce RTX 2080 SUPER
};
inline constexpr BoardPhysics kWithHbm = {0, 86, 196, 505, 157, 40'000, 45'800, 459, 10'600, 30'000'000};
inline constexpr BoardPhysics kPassive = {0, 83, 100, 620, 130, 30'000, 33'000, 636, 10'600, 30'000'000};
inline constexpr BoardPhysics kWithFans = {0, 84, 100, 620, 130, 40'000, 42'000, 460, 10'600, 90'000'000};

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
