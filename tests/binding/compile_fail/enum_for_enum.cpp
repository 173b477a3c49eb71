// SPDX-License-Identifier: Apache-2.0
// A clock's type is no state.
// expect: (no match|invalid|could not convert|cannot convert|cannot initialize|no viable|no known conversion)
#include <nvmlab/nvml.hpp>

bool on(nvml::Device& device) {
#ifdef WRONG
  return device.set_persistence_mode(nvml::ClockType::graphics).has_value();
#else
  return device.set_persistence_mode(true).has_value();
#endif
}
