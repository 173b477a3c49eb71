// SPDX-License-Identifier: Apache-2.0
// dlopen and its kin as the oldest system knows them; null where the process has none.
#pragma once

#include <dlfcn.h>

// The dlopen of glibc 2.34 and later has a version that older systems do not know; the one of old is still there. Weak,
// because before 2.34 it lives in libdl, which a process that loads us by name has in any case.
#if defined(__GLIBC__)
#if defined(__x86_64__)
#define NVMLAB_OLD_GLIBC "GLIBC_2.2.5"
#else
#define NVMLAB_OLD_GLIBC "GLIBC_2.17"
#endif
__asm__(".symver dlopen, dlopen@" NVMLAB_OLD_GLIBC);
__asm__(".symver dlsym, dlsym@" NVMLAB_OLD_GLIBC);
__asm__(".symver dlclose, dlclose@" NVMLAB_OLD_GLIBC);
#endif
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlclose
