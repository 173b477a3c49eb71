/* SPDX-License-Identifier: Apache-2.0
 *
 * node-probe [GPU [LIMIT [TIMES]]]: loads libnvidia-ml.so.1 by its name and prints the number of GPUs, the driver's
 * version, and name and power limit of one GPU, after it has set that limit as often as asked. Exit code 3 when the
 * library cannot be loaded, 4 when a call fails. Declarations stand here a second time, as in a client that knows
 * nothing of this project. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef int (*Plain)(void);
typedef int (*Count)(unsigned int*);
typedef int (*Version)(char*, unsigned int);
typedef int (*Find)(unsigned int, void**);
typedef int (*Name)(void*, char*, unsigned int);
typedef int (*Limit)(void*, unsigned int*);
typedef int (*SetLimit)(void*, unsigned int);

static void* library;

static void* symbol(const char* name) {
  void* found = dlsym(library, name);
  if (found == NULL) {
    fprintf(stderr, "node-probe: %s\n", dlerror());
    exit(3);
  }
  return found;
}

static void check(int code, const char* call) {
  if (code == 0) return;
  fprintf(stderr, "node-probe: %s answers %d\n", call, code);
  exit(4);
}

int main(int argc, char** argv) {
  unsigned int index = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 0;
  const unsigned int wanted = argc > 2 ? (unsigned int)strtoul(argv[2], NULL, 10) : 0;
  const unsigned int times = argc > 3 ? (unsigned int)strtoul(argv[3], NULL, 10) : wanted != 0;
  unsigned int done;
  unsigned int count = 0;
  unsigned int limit = 0;
  const int not_supported = 3; /* NVML_ERROR_NOT_SUPPORTED: some boards have no limit, which is printed as 0 */
  int code;
  char version[80] = "";
  char name[96] = "";
  void* device = NULL;
  library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "node-probe: %s\n", dlerror());
    return 3;
  }
  check(((Plain)symbol("nvmlInit_v2"))(), "nvmlInit_v2");
  check(((Count)symbol("nvmlDeviceGetCount_v2"))(&count), "nvmlDeviceGetCount_v2");
  check(((Version)symbol("nvmlSystemGetDriverVersion"))(version, sizeof version), "nvmlSystemGetDriverVersion");
  printf("gpus=%u driver=%s", count, version);
  if (index < count) {
    check(((Find)symbol("nvmlDeviceGetHandleByIndex_v2"))(index, &device), "nvmlDeviceGetHandleByIndex_v2");
    check(((Name)symbol("nvmlDeviceGetName"))(device, name, sizeof name), "nvmlDeviceGetName");
    for (done = 0; done < times; ++done)
      check(((SetLimit)symbol("nvmlDeviceSetPowerManagementLimit"))(device, wanted),
            "nvmlDeviceSetPowerManagementLimit");
    code = ((Limit)symbol("nvmlDeviceGetPowerManagementLimit"))(device, &limit);
    if (code != not_supported) check(code, "nvmlDeviceGetPowerManagementLimit");
    printf(" name=%s limit=%u", name, limit);
  }
  printf("\n");
  return 0;
}
