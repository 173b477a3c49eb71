/* SPDX-License-Identifier: Apache-2.0 */
/* A library with a few functions of NVML and the faults of foreign ones: BROKEN_NVML names what goes wrong in the call
   of nvmlDeviceGetName. Serial numbers are bytes that are no UTF-8, a list is longer than anyone offers room for, and a
   struct is taken in an older version alone. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUCCESS = 0, INVALID_ARGUMENT = 2, INSUFFICIENT_SIZE = 7, VERSION_MISMATCH = 25, UNHEARD_OF = 4711 };
enum { CLOCKS = 3000, FABRIC_V2 = 0x2000024 };

int nvmlInit_v2(void) { return SUCCESS; }
int nvmlShutdown(void) { return SUCCESS; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 1;
  return SUCCESS;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  static int gpu;
  *device = &gpu;
  return index == 0 ? SUCCESS : INVALID_ARGUMENT;
}
int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  strncpy(version, "500.1", length);
  return SUCCESS;
}
int nvmlDeviceGetBoardPartNumber(void* device, char* number, unsigned length) {
  (void)device;
  strncpy(number, "a\xff", length);
  return SUCCESS;
}
int nvmlDeviceGetMinorNumber(void* device, unsigned* number) {
  (void)device;
  (void)number;
  return UNHEARD_OF;
}
int nvmlDeviceGetSupportedMemoryClocks(void* device, unsigned* count, unsigned* clocks) {
  const unsigned room = *count;
  (void)device;
  *count = CLOCKS;
  if (room < CLOCKS) return INSUFFICIENT_SIZE;
  for (unsigned i = 0; i < CLOCKS; ++i)
    clocks[i] = i;
  return SUCCESS;
}
int nvmlDeviceGetGpuFabricInfoV(void* device, unsigned* info) {
  (void)device;
  return *info == FABRIC_V2 ? SUCCESS : VERSION_MISMATCH;
}
int nvmlDeviceGetName(void* device, char* name, unsigned length) {
  const char* what = getenv("BROKEN_NVML");
  (void)device;
  if (what != NULL && strcmp(what, "crash") == 0) raise(SIGSEGV);
  if (what != NULL && strcmp(what, "abort") == 0) abort();
  if (what != NULL && strcmp(what, "hang") == 0) {
    for (;;)
      pause();
  }
  strncpy(name, "Broken", length);
  return SUCCESS;
}
/* Set, so never to be called. */
int nvmlDeviceSetPersistenceMode(void* device, int mode) {
  (void)device;
  (void)mode;
  abort();
}
