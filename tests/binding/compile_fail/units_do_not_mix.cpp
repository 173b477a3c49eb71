// SPDX-License-Identifier: Apache-2.0
// expect: no match for|invalid operands
#include "nvmlab/nvml/units.hpp"

auto sum(nvml::Milliwatts power, [[maybe_unused]] nvml::Megahertz clock) {
#ifdef WRONG
  return power + clock;
#else
  return power + power;
#endif
}
