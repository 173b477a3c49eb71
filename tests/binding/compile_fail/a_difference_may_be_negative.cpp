// SPDX-License-Identifier: Apache-2.0
// expect: no viable conversion|cannot convert|could not convert|conversion from .* to non-scalar type
#include "nvmlab/nvml/units.hpp"

nvml::Milliwatts headroom(nvml::Milliwatts limit, nvml::Milliwatts usage) {
#ifdef WRONG
  return limit - usage;
#else
  return nvml::quantity_cast<nvml::Milliwatts>(limit - usage);
#endif
}
