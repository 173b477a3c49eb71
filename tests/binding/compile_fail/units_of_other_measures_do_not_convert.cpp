// SPDX-License-Identifier: Apache-2.0
// expect: these units measure different things
#include "nvmlab/nvml/units.hpp"

#ifdef WRONG
auto converted(nvml::Bytes size) { return nvml::quantity_cast<nvml::Watts>(size); }
#else
auto converted(nvml::Bytes size) { return nvml::quantity_cast<nvml::Mebibytes>(size); }
#endif
