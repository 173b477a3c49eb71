// SPDX-License-Identifier: Apache-2.0
// A result is not its value.
// expect: (no match|invalid|no matching|could not convert|cannot convert|no viable|no known conversion|conversion from)
#include <nvmlab/nvml.hpp>

nvml::Milliwatts draw(const nvml::Device& device) {
#ifdef WRONG
  return device.power_usage();
#else
  return device.power_usage().value_or(nvml::Milliwatts{});
#endif
}
