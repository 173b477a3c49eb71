// SPDX-License-Identifier: Apache-2.0
//
// What can be asked of fans and temperature targets. Tests: tests/drivers/functions/fans_test.cpp,
// board_settings_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/edit.hpp"

namespace nvmlab {

// Targets can be moved; where hardware shuts down or slows down is burnt into the board.
struct SetTemperatureTarget {
  enum class Target : std::uint32_t { acoustic, gps };
  Target target;
  std::int32_t celsius;
};

struct SetFanSpeed {
  std::uint32_t fan;
  std::uint32_t percent;
};

struct SetFanPolicy {
  std::uint32_t fan;
  std::uint32_t manual;  // 0: the temperature drives the fan
};

Code make(const SetTemperatureTarget& change, GpuEdit& gpu);
Code make(const SetFanSpeed& change, GpuEdit& gpu);
Code make(const SetFanPolicy& change, GpuEdit& gpu);

// The speed of a fan that the temperature drives.
void follow_temperature(Thermal::Fan& fan);

}  // namespace nvmlab
