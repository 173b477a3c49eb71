/* SPDX-License-Identifier: Apache-2.0
 *
 * reset-probe: resets GPU 0 as `nvidia-smi -r` does, through the internal table of libnvidia-ml.so.1. Exit code 3 if
 * the library cannot be loaded, 4 if a call fails. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef int (*AnyCall)();

static void check(int code, const char* call) {
  if (code == 0) return;
  fprintf(stderr, "reset-probe: %s returns %d\n", call, code);
  exit(4);
}

int main(void) {
  static const unsigned char id[16] = {0xC4, 0xFE, 0x3E, 0x6C, 0xC9, 0x8F, 0x6C, 0x4E,
                                       0xA3, 0x27, 0xEE, 0x69, 0x6E, 0x12, 0xF7, 0xC4};
  const int reset_devices = 168;
  const AnyCall* table = NULL;
  void* device = NULL;
  unsigned int result = 0;
  unsigned int switches = 0;
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (library == NULL) return 3;
  check(((AnyCall)dlsym(library, "nvmlInit_v2"))(), "nvmlInit_v2");
  check(((AnyCall)dlsym(library, "nvmlDeviceGetHandleByIndex_v2"))(0, &device), "nvmlDeviceGetHandleByIndex_v2");
  check(((AnyCall)dlsym(library, "nvmlInternalGetExportTable"))(&table, id), "nvmlInternalGetExportTable");
  check(table[reset_devices](1, &device, &result, &switches), "the reset");
  check((int)result, "the reset of the GPU");
  return 0;
}
