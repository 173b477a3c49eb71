// SPDX-License-Identifier: Apache-2.0
// A getter called for nothing.
// expect: ignoring return(ed)? value
#include <nvmlab/nvml.hpp>

void look(const nvml::Device& device) {
#ifdef WRONG
  device.name();
#else
  static_cast<void>(device.name());
#endif
}
