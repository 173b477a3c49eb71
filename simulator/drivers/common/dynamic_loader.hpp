// SPDX-License-Identifier: Apache-2.0
// dlopen and its kin, looked up when somebody needs them: each name costs whoever loads the driver.
#pragma once

#include <dlfcn.h>

// The dlsym of glibc 2.34 and later has a version that older systems do not know; the one of old is still there. Weak,
// because before 2.34 it lives in libdl, which a process that loads us by name has in any case.
#if defined(__GLIBC__)
#if defined(__x86_64__)
#define NVMLAB_OLD_GLIBC "GLIBC_2.2.5"
#else
#define NVMLAB_OLD_GLIBC "GLIBC_2.17"
#endif
__asm__(".symver dlsym, dlsym@" NVMLAB_OLD_GLIBC);
#endif
#pragma weak dlsym

namespace nvmlab::driver {

// Null where the process has no such function.
template <class Function>
Function* look_up(void* library, const char* name) {
  return dlsym == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}
template <class Function>
Function* look_up(const char* name) {
  return look_up<Function>(RTLD_DEFAULT, name);
}

struct DynamicLoader {
  decltype(::dlopen)* open = look_up<decltype(::dlopen)>("dlopen");
  decltype(::dlclose)* close = look_up<decltype(::dlclose)>("dlclose");

  bool there() const { return open != nullptr && close != nullptr; }
};

}  // namespace nvmlab::driver
