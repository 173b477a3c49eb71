// SPDX-License-Identifier: Apache-2.0
// The simulated driver, of which the second GPU has fallen off the bus: its handle is refused as real drivers refuse
// it. What is not here is found in the library that this one is linked with.
#define _GNU_SOURCE
#include <dlfcn.h>

typedef int FindHandle(unsigned index, void** device);

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  FindHandle* find;
  *(void**)&find = dlsym(RTLD_NEXT, "nvmlDeviceGetHandleByIndex_v2");
  return index == 1 ? 15 : find(index, device);
}
