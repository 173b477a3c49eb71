// SPDX-License-Identifier: Apache-2.0
//
// How nvmlab-record opens libraries where the C library has no dlopen, as before glibc 2.34: the file is compiled as
// for the program, and its references to dlopen and the others are renamed to what nobody has.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <string>

#include "recorder/freestanding/dynamic.hpp"
#include "tests/support/files.hpp"

namespace {

int opened = 0;
std::string asked_for;
int mode_asked = 0;

}  // namespace

// What such a C library has in place of them.
extern "C" {
void* __libc_dlopen_mode(const char* file, int mode);
void* __libc_dlopen_mode(const char* file, int mode) {
  ++opened;
  asked_for = file;
  mode_asked = mode;
  return ::dlopen(file, RTLD_NOW);
}
void* __libc_dlsym(void* handle, const char* name);
void* __libc_dlsym(void* handle, const char* name) { return ::dlsym(handle, name); }
}

namespace {

TEST(Dynamic, FindsTheFunctionsInTheLibraryOfOld) {
  EXPECT_EQ(recorder_dlopen("/nowhere/libnothing.so", RTLD_NOW), nullptr);
  EXPECT_EQ(asked_for, "libdl.so.2");
  EXPECT_EQ(static_cast<unsigned>(mode_asked) & 0x80000000u, 0x80000000u);
  EXPECT_NE(std::string(recorder_dlerror()).find("/nowhere/libnothing.so"), std::string::npos);

  const auto path = (nvmlab::test::binary_folder() / "tests/libopened-by-recorder.so").string();
  void* const library = recorder_dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << recorder_dlerror();
  EXPECT_NE(recorder_dlsym(library, "nvmlInit_v2"), nullptr);
  EXPECT_EQ(recorder_dlsym(library, "nvmlNothing"), nullptr);
  link_map* map = nullptr;
  EXPECT_EQ(recorder_dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
  ASSERT_NE(map, nullptr);
  EXPECT_EQ(map->l_name, path);
  EXPECT_EQ(recorder_dlclose(library), 0);
  EXPECT_EQ(opened, 1);
}

}  // namespace
