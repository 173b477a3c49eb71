// SPDX-License-Identifier: Apache-2.0
// The functions of <dlfcn.h> under names of ours: nvmlab-record is compiled with dlopen as recorder_dlopen and so on.
// Until glibc 2.33 they are in a library of their own, since then in the C library: this finds them in either, so that
// the program names the C library alone. Tests: tests/unit/recorder/dynamic_test.cpp.
#pragma once

extern "C" {
void* recorder_dlopen(const char* file, int mode) noexcept;
void* recorder_dlsym(void* handle, const char* name) noexcept;
int recorder_dlclose(void* handle) noexcept;
char* recorder_dlerror() noexcept;
int recorder_dlinfo(void* handle, int request, void* answer) noexcept;
}
