// SPDX-License-Identifier: Apache-2.0
#include "recorder/freestanding/dynamic.hpp"

#undef dlopen
#undef dlsym
#undef dlclose
#undef dlerror
#undef dlinfo

extern "C" {
// Weak: a C library that lacks one leaves it null.
void* dlopen(const char* file, int mode) noexcept __attribute__((weak));
void* dlsym(void* handle, const char* name) noexcept __attribute__((weak));
int dlclose(void* handle) noexcept __attribute__((weak));
char* dlerror() noexcept __attribute__((weak));
int dlinfo(void* handle, int request, void* answer) noexcept __attribute__((weak));
// What the C library opened libraries with for itself, as long as dlopen was elsewhere.
void* __libc_dlopen_mode(const char* file, int mode) __attribute__((weak));
void* __libc_dlsym(void* handle, const char* name) __attribute__((weak));
}

namespace {

constexpr char kLibrary[] = "libdl.so.2";
constexpr int kNow = 2;
constexpr int kFromOutside = static_cast<int>(0x80000000u);  // glibc's own mark of a call like dlopen's

struct Functions {
  decltype(&::dlopen) open = nullptr;
  decltype(&::dlsym) symbol = nullptr;
  decltype(&::dlclose) close = nullptr;
  decltype(&::dlerror) error = nullptr;
  decltype(&::dlinfo) info = nullptr;
};

template <class F>
void look_up(F*& function, void* library, const char* name) {
  function = reinterpret_cast<F*>(__libc_dlsym(library, name));
}

Functions found() {
  Functions all{dlopen, dlsym, dlclose, dlerror, dlinfo};
  if (all.open != nullptr || __libc_dlopen_mode == nullptr || __libc_dlsym == nullptr) return all;
  void* const library = __libc_dlopen_mode(kLibrary, kNow | kFromOutside);
  if (library == nullptr) return all;
  look_up(all.open, library, "dlopen");
  look_up(all.symbol, library, "dlsym");
  look_up(all.close, library, "dlclose");
  look_up(all.error, library, "dlerror");
  look_up(all.info, library, "dlinfo");
  return all;
}

const Functions& functions() {
  static const Functions all = found();
  return all;
}

}  // namespace

extern "C" {

void* recorder_dlopen(const char* file, int mode) noexcept {
  return functions().open == nullptr ? nullptr : functions().open(file, mode);
}
void* recorder_dlsym(void* handle, const char* name) noexcept { return functions().symbol(handle, name); }
int recorder_dlclose(void* handle) noexcept { return functions().close(handle); }
char* recorder_dlerror() noexcept {
  static char nothing[] = "this C library opens no other libraries";
  return functions().error == nullptr ? nothing : functions().error();
}
int recorder_dlinfo(void* handle, int request, void* answer) noexcept {
  return functions().info == nullptr ? -1 : functions().info(handle, request, answer);
}
}
