/* SPDX-License-Identifier: Apache-2.0
 *
 * nvmlab-start-probe LIBRARY: in a fresh process, how long dlopen and nvmlInit take, what memory they add and whether a
 * thread was started. Prints one line of numbers: dlopen ns, init ns, KiB added after init, KiB added after a look at
 * what monitors read of every GPU, threads, GPUs. A library without nvmlInit_v2 counts as one that initialises in no
 * time.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

/* The number behind `key` in a file of /proc; the format must name one long. */
static long read_number(const char* path, const char* format) {
  long number = -1;
  char line[256];
  FILE* file = fopen(path, "r");
  if (file == NULL) return -1;
  while (fgets(line, sizeof line, file) != NULL) {
    if (sscanf(line, format, &number) == 1) break;
  }
  fclose(file);
  return number;
}

static long resident(void) { return read_number("/proc/self/smaps_rollup", "Rss: %ld"); }

typedef int (*Init)(void);
typedef int (*Count)(unsigned int*);
typedef int (*ByIndex)(unsigned int, void**);
typedef int (*Getter)(void*, void*);
typedef int (*Chooser)(void*, unsigned int, void*);
typedef int (*Texter)(void*, void*, unsigned int);

/* What monitors read: of one number or struct, of one out of several, texts. */
static const char* const getters[] = {
    "nvmlDeviceGetIndex",
    "nvmlDeviceGetMinorNumber",
    "nvmlDeviceGetBrand",
    "nvmlDeviceGetArchitecture",
    "nvmlDeviceGetNumGpuCores",
    "nvmlDeviceGetPciInfo_v3",
    "nvmlDeviceGetPowerUsage",
    "nvmlDeviceGetPowerState",
    "nvmlDeviceGetPowerManagementLimit",
    "nvmlDeviceGetPowerManagementDefaultLimit",
    "nvmlDeviceGetEnforcedPowerLimit",
    "nvmlDeviceGetTotalEnergyConsumption",
    "nvmlDeviceGetUtilizationRates",
    "nvmlDeviceGetMemoryInfo",
    "nvmlDeviceGetBAR1MemoryInfo",
    "nvmlDeviceGetFanSpeed",
    "nvmlDeviceGetPerformanceState",
    "nvmlDeviceGetComputeMode",
    "nvmlDeviceGetPersistenceMode",
    "nvmlDeviceGetDisplayMode",
    "nvmlDeviceGetDisplayActive",
    "nvmlDeviceGetCurrPcieLinkGeneration",
    "nvmlDeviceGetCurrPcieLinkWidth",
    "nvmlDeviceGetMaxPcieLinkGeneration",
    "nvmlDeviceGetMaxPcieLinkWidth",
    "nvmlDeviceGetPcieReplayCounter",
    "nvmlDeviceGetCurrentClocksEventReasons",
    "nvmlDeviceGetAccountingMode",
    "nvmlDeviceGetMultiGpuBoard",
    "nvmlDeviceGetInforomConfigurationChecksum",
};
static const char* const choosers[] = {"nvmlDeviceGetTemperature",    "nvmlDeviceGetTemperatureThreshold",
                                       "nvmlDeviceGetClockInfo",      "nvmlDeviceGetMaxClockInfo",
                                       "nvmlDeviceGetPcieThroughput", "nvmlDeviceGetNvLinkState",
                                       "nvmlDeviceGetNvLinkVersion",  "nvmlDeviceGetFanSpeed_v2"};
static const char* const texters[] = {"nvmlDeviceGetName", "nvmlDeviceGetUUID", "nvmlDeviceGetSerial",
                                      "nvmlDeviceGetVbiosVersion", "nvmlDeviceGetBoardPartNumber"};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static void read_all(void* library, void* device) {
  static long long room[512];
  for (unsigned int i = 0; i < COUNT_OF(getters); ++i) {
    Getter get = NULL;
    *(void**)&get = dlsym(library, getters[i]);
    if (get != NULL) get(device, room);
  }
  for (unsigned int i = 0; i < COUNT_OF(choosers); ++i) {
    Chooser get = NULL;
    *(void**)&get = dlsym(library, choosers[i]);
    for (unsigned int choice = 0; get != NULL && choice < 4; ++choice)
      get(device, choice, room);
  }
  for (unsigned int i = 0; i < COUNT_OF(texters); ++i) {
    Texter get = NULL;
    *(void**)&get = dlsym(library, texters[i]);
    if (get != NULL) get(device, room, 96);
  }
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  now();
  const long before = resident();
  const long long start = now();
  void* library = dlopen(arguments[1], RTLD_NOW);
  const long long opened = now();
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  long long ready = opened;
  unsigned int gpus = 0;
  Init init = NULL;
  *(void**)&init = dlsym(library, "nvmlInit_v2");
  const long long called = now();
  if (init != NULL && init() != 0) return 1;
  ready = now();
  const long after = resident();
  if (init != NULL) {
    Count get_count = NULL;
    ByIndex by_index = NULL;
    *(void**)&get_count = dlsym(library, "nvmlDeviceGetCount_v2");
    *(void**)&by_index = dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
    get_count(&gpus);
    for (unsigned int i = 0; i < gpus; ++i) {
      void* device = NULL;
      by_index(i, &device);
      read_all(library, device);
    }
  }
  printf("%lld %lld %ld %ld %ld %u\n", opened - start, init == NULL ? 0 : ready - called, after - before,
         resident() - before, read_number("/proc/self/status", "Threads: %ld"), gpus);
  return 0;
}
