/* SPDX-License-Identifier: Apache-2.0
 *
 * nvmlab-start-probe LIBRARY: in a fresh process, how long dlopen and nvmlInit take, what memory they add and whether a
 * thread was started. Prints one line of numbers: dlopen ns, init ns, KiB added after init, KiB added after a look at
 * every GPU, threads, GPUs. A library without nvmlInit_v2 counts as one that initialises in no time.
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
typedef int (*Power)(void*, unsigned int*);
typedef int (*Name)(void*, char*, unsigned int);

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
    Power power = NULL;
    Name name = NULL;
    *(void**)&get_count = dlsym(library, "nvmlDeviceGetCount_v2");
    *(void**)&by_index = dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
    *(void**)&power = dlsym(library, "nvmlDeviceGetPowerUsage");
    *(void**)&name = dlsym(library, "nvmlDeviceGetName");
    get_count(&gpus);
    for (unsigned int i = 0; i < gpus; ++i) {
      void* device = NULL;
      unsigned int milliwatts = 0;
      char text[96];
      by_index(i, &device);
      power(device, &milliwatts);
      name(device, text, sizeof text);
    }
  }
  printf("%lld %lld %ld %ld %ld %u\n", opened - start, init == NULL ? 0 : ready - called, after - before,
         resident() - before, read_number("/proc/self/status", "Threads: %ld"), gpus);
  return 0;
}
