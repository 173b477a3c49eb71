// SPDX-License-Identifier: Apache-2.0
// A C program that opens the library named by its argument, and reads with it. Built against glibc, and against musl,
// whose loader has to satisfy a library that was linked against glibc.
#include <dlfcn.h>
#include <stdio.h>

typedef struct nvmlDevice_st* nvmlDevice_t;

struct memory {
  unsigned long long total, free, used;
};

// ISO C has no cast from a data pointer to a function pointer; POSIX says that this is the way around.
#define FIND(variable, name)                   \
  *(void**)&(variable) = dlsym(library, name); \
  if (!(variable)) return fprintf(stderr, "%s\n", dlerror()), 1

#define MUST(call)                                               \
  do {                                                           \
    int code = (call);                                           \
    if (code != 0) {                                             \
      fprintf(stderr, "%s: %d (%s)\n", #call, code, text(code)); \
      return 1;                                                  \
    }                                                            \
  } while (0)

int main(int argc, char** argv) {
  int (*init)(void), (*shut_down)(void);
  const char* (*text)(int);
  int (*get_count)(unsigned*);
  int (*get_device)(unsigned, nvmlDevice_t*);
  int (*get_name)(nvmlDevice_t, char*, unsigned);
  int (*get_memory)(nvmlDevice_t, struct memory*);
  int (*get_power)(nvmlDevice_t, unsigned*);
  void* library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (!library) return fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "usage: loading_client LIBRARY"), 1;
  FIND(text, "nvmlErrorString");
  FIND(init, "nvmlInit_v2");
  FIND(shut_down, "nvmlShutdown");
  FIND(get_count, "nvmlDeviceGetCount_v2");
  FIND(get_device, "nvmlDeviceGetHandleByIndex_v2");
  FIND(get_name, "nvmlDeviceGetName");
  FIND(get_memory, "nvmlDeviceGetMemoryInfo");
  FIND(get_power, "nvmlDeviceGetPowerUsage");

  unsigned count = 0;
  char first[96] = "";
  MUST(init());
  MUST(get_count(&count));
  for (unsigned i = 0; i < count; ++i) {
    nvmlDevice_t device = NULL;
    struct memory memory = {0, 0, 0};
    unsigned milliwatts = 0;
    char name[96] = "";
    MUST(get_device(i, &device));
    MUST(get_name(device, i == 0 ? first : name, sizeof name));
    MUST(get_memory(device, &memory));
    MUST(get_power(device, &milliwatts));
    if (memory.total == 0 || milliwatts == 0) return fprintf(stderr, "GPU %u has no memory or draws no power\n", i), 1;
  }
  MUST(shut_down());
  dlclose(library);
  printf("%u %s\n", count, first);
  return 0;
}
