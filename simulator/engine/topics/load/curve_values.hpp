// SPDX-License-Identifier: Apache-2.0
//
// The curves of a GPU as its state keeps them, and their values. Tests: tests/unit/load/metric_curves_test.cpp.
#pragma once

#include "engine/topics/load/load_segment.hpp"
#include "engine/topics/load/metric_curves.hpp"

namespace nvmlab {

// What stands still without the curves, of a GPU that nothing loads.
enum Rest : std::uint32_t {
  kRestGpu,
  kRestLimit,  // as it is stored: the residue of T.Limit (derived.hpp)
  kRestDraw,
  kRestAverage,
  kRestInstant,
  kRestGpuPercent,
  kRestMemoryPercent,
  kRestTx,
  kRestRx,
  kRestCount,
};

struct Curves {
  static constexpr std::uint32_t kFormat = 1;

  std::uint32_t format;
  std::uint32_t highest_c;  // that is told; 0: no such limit
  SetMetricCurves asked;
  std::uint64_t seed;
  std::uint64_t since_ms;   // where the curves begin
  std::uint64_t begin_ms;   // since when is counted:
  std::uint64_t energy_mj;  // what the counter stood at then,
  std::uint64_t energy_rest_uj;
  std::uint64_t errors_rest;  // of one error, in millionths
  std::uint32_t lowest_mw;
  std::uint32_t highest_mw;
  std::uint32_t rest[kRestCount + 1];
};

// Whether the numbers are such as boards reach.
bool good(const SetMetricCurves& asked);

// Of a file that others write: whatever somebody has damaged leads to wrong readings at worst.
bool read_curves(const Load& from, Curves& curves);

// A load that works on the GPU moves the same facts, and tells what they are without the curves.
inline bool is_loaded(const Load& load) { return load.segment.has_value(); }

// Since they were counted last: in microjoules, and in millionths of an error.
std::uint64_t energy_uj(const Curves& curves, std::uint64_t now_ms);
std::uint64_t link_errors(const Curves& curves, std::uint64_t now_ms);

}  // namespace nvmlab
