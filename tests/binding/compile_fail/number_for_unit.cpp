// SPDX-License-Identifier: Apache-2.0
// A number says nothing of its unit.
// expect: (no match|invalid|no matching|could not convert|cannot convert|no viable|no known conversion)
#include <nvmlab/nvml.hpp>

bool limit(nvml::Device& device) {
#ifdef WRONG
  return device.set_power_management_limit(300).has_value();
#else
  return device.set_power_management_limit(nvml::Milliwatts{300'000}).has_value();
#endif
}
