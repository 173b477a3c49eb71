// SPDX-License-Identifier: Apache-2.0
// expect: no matching function|no viable conversion|cannot convert|could not convert
#include "nvmlab/nvml/units.hpp"

void set_limit(nvml::Milliwatts limit);

void lower(nvml::Milliwatts limit) {
#ifdef WRONG
  set_limit(limit * 0.8);
#else
  set_limit(nvml::quantity_cast<nvml::Milliwatts>(limit * 0.8));
#endif
}
