// SPDX-License-Identifier: Apache-2.0
//
// What can be asked of the power topic, and what follows. Tests: tests/drivers/functions/lifecycle_test.cpp,
// power_profiles_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/edit.hpp"
#include "engine/topics/power/workload_profiles.hpp"

namespace nvmlab {

enum class PowerScope : std::uint32_t { gpu, module };

struct SetPowerLimit {
  PowerScope scope;
  std::uint32_t milliwatts;
};

struct SetPowerSmoothing {
  std::uint32_t enabled;
};

struct ActivateSmoothingProfile {
  std::uint32_t profile;
};

// `parameter` is a number of NVML's; `value` is in NVML's unit, percent for the floor.
struct SetSmoothingParameter {
  std::uint32_t profile;
  std::uint32_t parameter;
  double value;
};

inline constexpr std::uint32_t kSmoothingParameters = 8;

struct SetPowerMizerMode {
  std::uint32_t mode;
};

struct SetAdaptiveTgp {
  std::uint32_t enabled;
};

struct RequestWorkloadProfiles {
  enum class Join : std::uint32_t { add, remove, replace };
  Join join = Join::replace;
  ProfileMask profiles;
};

Code make(const SetPowerLimit& change, GpuEdit& gpu);
Code make(const SetPowerSmoothing& change, GpuEdit& gpu);
Code make(const ActivateSmoothingProfile& change, GpuEdit& gpu);
Code make(const SetSmoothingParameter& change, GpuEdit& gpu);
Code make(const SetPowerMizerMode& change, GpuEdit& gpu);
Code make(const SetAdaptiveTgp& change, GpuEdit& gpu);
Code make(const RequestWorkloadProfiles& change, GpuEdit& gpu);

}  // namespace nvmlab
