// SPDX-License-Identifier: Apache-2.0
//
// nvmlab-record's beginning. The one that compilers come with asks for glibc 2.34 since that is where it was built;
// __libc_start_main is as old as the architecture, and every glibc still takes a program that brings its constructors.
// Tests: tests/drivers/abi/recorder_test.cpp.
#if !defined(__x86_64__)
#error "nvmlab-record is made for x86_64"
#endif

extern "C" {

using Constructor = void (*)(int, char**, char**);
extern Constructor __init_array_start[] __attribute__((visibility("hidden")));
extern Constructor __init_array_end[] __attribute__((visibility("hidden")));

__attribute__((used, visibility("hidden"))) void nvmlab_run_constructors(int count, char** words, char** environment);
void nvmlab_run_constructors(int count, char** words, char** environment) {
  for (Constructor* each = __init_array_start; each != __init_array_end; ++each)
    (*each)(count, words, environment);
}

// What destructors of static objects are told; this program has one module.
extern void* const __dso_handle __attribute__((visibility("hidden")));
void* const __dso_handle = nullptr;
}

// main, argc, argv, constructors, no destructors, the dynamic linker's own end, and where the stack begins.
__asm__(R"(
  .section .text._start,"ax",@progbits
  .globl _start
  .type _start, @function
_start:
  xorl %ebp, %ebp
  movq %rdx, %r9
  popq %rsi
  movq %rsp, %rdx
  andq $-16, %rsp
  pushq %rax
  pushq %rsp
  xorl %r8d, %r8d
  leaq nvmlab_run_constructors(%rip), %rcx
  leaq main(%rip), %rdi
  call *__libc_start_main@GOTPCREL(%rip)
  hlt
  .size _start, . - _start
  .text
)");
