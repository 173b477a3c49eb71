// SPDX-License-Identifier: Apache-2.0
// A program as nvcc compiles it, by hand: kernels and variables that it registers by the addresses of their twins.
#pragma once

#include "tests/drivers/cudart/cudart.hpp"

namespace nvmlab::cudart_test {

// A kernel that adds a variable to each element, and a variable that the host sees.
inline constexpr const char* kProgram = R"(.version 7.0
.target sm_50
.address_size 64
.visible .const .align 4 .u32 step;
.visible .global .align 4 .u32 shown = 7;
.visible .entry add_step(.param .u64 data, .param .u32 count)
{
  .reg .pred %p;
  .reg .b32 %r<8>;
  .reg .b64 %d<4>;
  ld.param.u64 %d0, [data];
  ld.param.u32 %r0, [count];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.s32 %r1, %r2, %r3, %r1;
  setp.ge.u32 %p, %r1, %r0;
  @%p bra DONE;
  mul.wide.u32 %d1, %r1, 4;
  cvta.to.global.u64 %d0, %d0;
  add.s64 %d0, %d0, %d1;
  ld.const.u32 %r4, [step];
  ld.global.u32 %r5, [%d0];
  add.s32 %r5, %r5, %r4;
  st.global.u32 [%d0], %r5;
DONE:
  ret;
}
.visible .entry wild()
{
  .reg .b64 %d;
  mov.u64 %d, 64;
  st.global.u32 [%d], 1;
  ret;
}
)";

inline const char host_kernel = 0;
inline const char host_wild = 0;
inline char host_step[4];
inline unsigned* host_shown = nullptr;

using Launch = int(const void*, Dim3, Dim3, void**, std::size_t, void*);

inline void** registered(const Cudart& runtime, FatBinary& binary) {
  using RegisterFunction = int(void**, const char*, char*, const char*, int, void*, void*, void*, void*,
                               int*);  // int: call() wants a result
  using RegisterVar = int(void**, void*, char*, const char*, int, std::size_t, int, int);
  void** const handle = runtime.call<void**(void*)>("__cudaRegisterFatBinary", binary.wrapper());
  void* const none = nullptr;
  int* const no_size = nullptr;
  char* const no_name = nullptr;
  runtime.call<RegisterFunction>("__cudaRegisterFunction", handle, &host_kernel, no_name, "add_step", -1, none, none,
                                 none, none, no_size);
  runtime.call<RegisterFunction>("__cudaRegisterFunction", handle, &host_wild, no_name, "wild", -1, none, none, none,
                                 none, no_size);
  runtime.call<RegisterVar>("__cudaRegisterVar", handle, static_cast<void*>(host_step), no_name, "step", 0, 4UL, 1, 0);
  runtime.call<RegisterVar>("__cudaRegisterManagedVar", handle, static_cast<void*>(&host_shown), no_name, "shown", 0,
                            4UL, 0, 0);
  runtime.call<int(void**)>("__cudaRegisterFatBinaryEnd", handle);
  return handle;
}

inline int set_step(const Cudart& runtime, unsigned step) {
  using ToSymbol = int(const void*, const void*, std::size_t, std::size_t, int);
  return runtime.call<ToSymbol>("cudaMemcpyToSymbol", &host_step, &step, 4UL, 0UL, kToDevice);
}

}  // namespace nvmlab::cudart_test
