// SPDX-License-Identifier: Apache-2.0
// expect: no match for|invalid operands
#include "nvmlab/nvml/generated/masks.hpp"

auto both() {
#ifdef WRONG
  return nvml::EventType::clock | nvml::ClocksEventReason::gpu_idle;
#else
  return nvml::EventType::clock | nvml::EventType::pstate;
#endif
}
