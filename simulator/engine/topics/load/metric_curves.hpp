// SPDX-License-Identifier: Apache-2.0
//
// Readings that follow curves of their own: a temperature that rises and falls, a power that varies, a share of time
// that comes in bursts, links that count errors. Unlike a load (load_changes.hpp) a curve moves what it is of and
// nothing else, but for T.Limit and the energy, which follow. Curves lie over whatever works on the GPU, and beneath
// pins and faults. They are functions of the machine's clock and of a seed. Tests:
// tests/unit/load/metric_curves_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/state/generated/state.hpp"
#include "engine/store/edit.hpp"

namespace nvmlab {

enum Curve : std::uint32_t {
  kTemperatureCurve = 1,
  kPowerCurve = 2,
  kUtilizationCurve = 4,
  kLinkErrorCurve = 8,
};
inline constexpr std::uint32_t kAllCurves = 15;

enum class UsePattern : std::uint32_t { steady, idle, busy, burst };

// From now on these curves, in place of those of before. What lies beneath comes back where a curve ends.
struct SetMetricCurves {
  std::uint64_t seed;              // of what varies; 0: that of the GPU
  std::uint64_t link_error_milli;  // errors of each link in a thousand seconds
  std::uint64_t links;             // bit N: link N counts them; 0: all that are up
  std::uint32_t which;             // of Curve
  std::int32_t base_c;             // temperature: base, a sine wave from 0 to ramp, and up to +-variance
  std::uint32_t ramp_c;
  std::uint32_t ramp_period_s;
  std::uint32_t variance_c;
  std::uint32_t base_mw;  // power: base and up to +-variance, within the limits of the board
  std::uint32_t variance_mw;
  UsePattern pattern;  // utilization: anywhere between the two, in the lowest or the highest quarter, or in turns
  std::uint32_t gpu_min;
  std::uint32_t gpu_max;
  std::uint32_t memory_min;
  std::uint32_t memory_max;
  std::uint32_t burst_period_s;
  std::uint32_t full_tx_kbps;  // PCIe traffic at 100 %; 0: stays as it is
  std::uint32_t full_rx_kbps;
  std::uint32_t unused;
};

// kInvalidArgument: an unknown curve or pattern, a share above 100 %, or a number that no board reaches.
Code make(const SetMetricCurves& change, GpuEdit& gpu);

// Of a draft. settle_curves(): what follows a curve gets the value that lies beneath, and what counts its value of now.
// follow_curves(): facts that hold a value beneath the curves are given over to them again. Nothing where there are
// none.
void settle_curves(GpuEdit& gpu);
void follow_curves(GpuEdit& gpu);

// Whether any reading of the GPU follows a curve; also of one that others write.
inline bool has_curves(const Load& load) {
  return __atomic_load_n(&load.curves.stored_code, __ATOMIC_ACQUIRE) == (kSuccess ^ kNotSupported);
}

}  // namespace nvmlab
