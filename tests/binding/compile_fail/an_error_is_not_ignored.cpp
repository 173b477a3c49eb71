// SPDX-License-Identifier: Apache-2.0
// expect: nodiscard
#include "nvmlab/loader/error.hpp"

nvml::Error why();

void test() {
#ifdef WRONG
  why();
#else
  static_cast<void>(why());
#endif
}
