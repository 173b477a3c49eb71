// SPDX-License-Identifier: Apache-2.0
// A setter whose answer nobody looks at.
// expect: ignoring return(ed)? value
#include <nvmlab/nvml.hpp>

void limit(nvml::Device& device) {
#ifdef WRONG
  device.set_persistence_mode(true);
#else
  if (!device.set_persistence_mode(true)) return;
#endif
}
