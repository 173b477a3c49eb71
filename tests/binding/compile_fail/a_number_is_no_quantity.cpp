// SPDX-License-Identifier: Apache-2.0
// expect: could not convert|no viable conversion|no matching function
#include "nvmlab/nvml/units.hpp"

void set_limit(nvml::Milliwatts limit);

void test() {
#ifdef WRONG
  set_limit(300);
#else
  set_limit(nvml::Milliwatts{300'000});
#endif
}
