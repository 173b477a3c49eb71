// SPDX-License-Identifier: Apache-2.0
// Keys of threads. As with dlsym (dynamic_loader.hpp): the old versions, and weak, as a process without the thread
// library of old has one thread.
#pragma once

#include <pthread.h>

#if defined(__GLIBC__)
#if defined(__x86_64__)
#define NVMLAB_OLD_THREADS "GLIBC_2.2.5"
#else
#define NVMLAB_OLD_THREADS "GLIBC_2.17"
#endif
__asm__(".symver pthread_key_create, pthread_key_create@" NVMLAB_OLD_THREADS);
__asm__(".symver pthread_getspecific, pthread_getspecific@" NVMLAB_OLD_THREADS);
__asm__(".symver pthread_setspecific, pthread_setspecific@" NVMLAB_OLD_THREADS);
#endif
#pragma weak pthread_key_create
#pragma weak pthread_getspecific
#pragma weak pthread_setspecific
