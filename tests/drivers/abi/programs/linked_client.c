// SPDX-License-Identifier: Apache-2.0
// A C program that links libnvidia-ml.so.1 at build time, as hwloc and slurm do, with declarations of its own.
#include <stdio.h>

typedef struct nvmlDevice_st* nvmlDevice_t;
int nvmlInit_v2(void);
int nvmlShutdown(void);
const char* nvmlErrorString(int code);
int nvmlDeviceGetCount_v2(unsigned* count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* device);
int nvmlDeviceGetName(nvmlDevice_t device, char* name, unsigned length);

static int failed(const char* what, int code) {
  fprintf(stderr, "%s: %d (%s)\n", what, code, nvmlErrorString(code));
  return 1;
}

int main(void) {
  unsigned count = 0;
  nvmlDevice_t device = NULL;
  char name[96] = "";
  int code = nvmlInit_v2();
  if (code != 0) return failed("nvmlInit_v2", code);
  if ((code = nvmlDeviceGetCount_v2(&count)) != 0) return failed("nvmlDeviceGetCount_v2", code);
  if ((code = nvmlDeviceGetHandleByIndex_v2(0, &device)) != 0) return failed("nvmlDeviceGetHandleByIndex_v2", code);
  if ((code = nvmlDeviceGetName(device, name, sizeof name)) != 0) return failed("nvmlDeviceGetName", code);
  printf("%u %s\n", count, name);
  return nvmlShutdown();
}
