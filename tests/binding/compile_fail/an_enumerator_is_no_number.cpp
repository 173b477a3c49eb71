// SPDX-License-Identifier: Apache-2.0
// expect: cannot convert|cannot initialize
#include "nvmlab/nvml/generated/enums.hpp"

#ifdef WRONG
unsigned number = nvml::Brand::tesla;
#else
unsigned number = static_cast<unsigned>(nvml::Brand::tesla);
#endif
