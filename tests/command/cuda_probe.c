// SPDX-License-Identifier: Apache-2.0
// cuda-probe [broken | illegal]: runs a kernel twice and prints what it left in memory. Then it launches a kernel that
// traps, or one that writes to an address without an allocation.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char kPtx[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry _Z4fillPjj(.param .u64 p, .param .u32 v) {\n"
    ".reg .b32 %r<3>; .reg .b64 %d<3>;\n"
    "ld.param.u64 %d1, [p]; ld.param.u32 %r1, [v]; mov.u32 %r2, %tid.x;\n"
    "mad.wide.u32 %d2, %r2, 4, %d1; st.global.u32 [%d2], %r1; ret; }\n"
    ".visible .entry broken() { trap; }\n";

typedef int (*AnyCall)();

static void* library;

static AnyCall function(const char* name) { return (AnyCall)dlsym(library, name); }

#define CALL(name, ...)                                    \
  do {                                                     \
    const int code = function(name)(__VA_ARGS__);          \
    if (code != 0) return printf(name " = %d\n", code), 1; \
  } while (0)

int main(int count, char** arguments) {
  void* context = 0;
  void* module = 0;
  void* fill = 0;
  void* broken = 0;
  unsigned long long memory = 0;
  unsigned value = 7;
  void* parameters[] = {&memory, &value};
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == 0) return 1;
  CALL("cuInit", 0);
  CALL("cuCtxCreate_v2", &context, 0, 0);
  CALL("cuModuleLoadData", &module, kPtx);
  CALL("cuModuleGetFunction", &fill, module, "_Z4fillPjj");
  CALL("cuModuleGetFunction", &broken, module, "broken");
  CALL("cuMemAlloc_v2", &memory, (unsigned long)4096);
  CALL("cuMemsetD8_v2", memory, 0, (unsigned long)4096);
  for (int i = 0; i < 2; ++i)
    CALL("cuLaunchKernel", fill, 2 + i, 1, 1, 32, 1, 1, 0, (void*)0, parameters, (void*)0);
  CALL("cuMemcpyDtoH_v2", &value, memory, (unsigned long)4);
  printf("%u\n", value);
  if (count > 1) {
    memory = 16;
    if (strcmp(arguments[1], "illegal") == 0) broken = fill;
    CALL("cuLaunchKernel", broken, 1, 1, 1, 1, 1, 1, 0, (void*)0, parameters, (void*)0);
    CALL("cuCtxSynchronize");
  }
  return 0;
}
