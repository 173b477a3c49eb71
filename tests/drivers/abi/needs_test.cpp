// SPDX-License-Identifier: Apache-2.0
//
// What the driver asks of the process that loads it. It is mounted into containers of any age, so this list is short
// and old: one library, a few dozen names, none newer than glibc 2.17, and no C++ runtime (docs/decisions/0002).
#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

#include "tests/drivers/abi/driver.hpp"
#include "tests/drivers/abi/elf_reader.hpp"

namespace {

using nvmlab::elf::Library;

class Needs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto read = nvmlab::elf::read_library(nvmlab::abi_test::driver_path());
    ASSERT_TRUE(read) << read.error();
    library_ = *read;
  }
  inline static Library library_;
};

// "GLIBC_2.17" as {2, 17, 0}; {0, 0, 0} for what is no version of glibc.
std::array<int, 3> glibc_version(const std::string& text) {
  std::array<int, 3> parts{};
  if (std::sscanf(text.c_str(), "GLIBC_%d.%d.%d", &parts[0], &parts[1], &parts[2]) < 2) return {};
  return parts;
}

TEST(GlibcVersion, IsComparedByNumber) {
  EXPECT_LT(glibc_version("GLIBC_2.2.5"), glibc_version("GLIBC_2.17"));
  EXPECT_GT(glibc_version("GLIBC_2.34"), glibc_version("GLIBC_2.17"));
  EXPECT_EQ(glibc_version("GCC_3.0"), glibc_version("GLIBC_PRIVATE"));
}

TEST_F(Needs, OneLibraryOnly) {
  ASSERT_EQ(library_.needed.size(), 1U);
  EXPECT_EQ(library_.needed[0], "libc.so.6");
  EXPECT_EQ(library_.search_path, "");
}

TEST_F(Needs, NoNameNewerThanGlibc217) {
  for (const auto& import : library_.imports) {
    if (import.weak && import.version.empty())
      continue;  // hooks of the linker's and of gcc's, absent nearly everywhere
    const auto version = glibc_version(import.version);
    EXPECT_NE(version, (std::array<int, 3>{})) << import.name << " has version '" << import.version << "'";
    EXPECT_LE(version, (std::array<int, 3>{2, 17, 0})) << import.name << " needs " << import.version;
    EXPECT_EQ(import.library, "libc.so.6") << import.name;
  }
}

TEST_F(Needs, AFewDozenNamesAtMost) {
  std::string names;
  for (const auto& import : library_.imports)
    names += import.name + " ";
  EXPECT_LE(library_.imports.size(), 48U) << names;
  EXPECT_GE(library_.imports.size(), 1U);
  RecordProperty("imports", names);
}

TEST_F(Needs, NoCxxRuntime) {
  for (const auto& import : library_.imports) {
    for (const char* prefix : {"_Z", "__cxa_", "__gxx_", "_Unwind_", "__dynamic_cast", "__atomic_"}) {
      if (import.name == "__cxa_finalize" && import.weak) continue;  // of the C library, called by gcc's start-up files
      EXPECT_FALSE(import.name.starts_with(prefix)) << import.name;
    }
  }
}

TEST_F(Needs, NoHeapNoThreadNoSignalNoExit) {
  for (const auto& import : library_.imports) {
    for (const char* forbidden : {"malloc",         "calloc",        "realloc",        "free",
                                  "posix_memalign", "aligned_alloc", "strdup",         "brk",
                                  "sbrk",  //
                                  "pthread_create", "clone",         "fork",           "vfork",
                                  "posix_spawn",    "system",        "popen",          "execve",  //
                                  "sigaction",      "signal",        "sigprocmask",    "pthread_sigmask",
                                  "setitimer",      "timer_create",  "alarm",  //
                                  "atexit",         "__cxa_atexit",  "pthread_atfork", "__register_atfork",
                                  "exit",           "_exit",         "abort",  //
                                  "__tls_get_addr", "setlocale",     "setenv",         "putenv",
                                  "chdir",          "umask"}) {
      EXPECT_NE(import.name, forbidden);
    }
  }
}

TEST_F(Needs, NothingRunsBeforeMain) {
  // gcc's start-up files have one entry each (frame_dummy, __do_global_dtors_aux), which do nothing here. At the end,
  // one function of the driver's own gives back what a host left initialised when it closed the library.
  EXPECT_LE(library_.init_functions, 1U);
  EXPECT_LE(library_.fini_functions, 2U);
}

TEST_F(Needs, NoThreadLocalStorage) {
  EXPECT_EQ(library_.segment(PT_TLS), nullptr);
  EXPECT_EQ(library_.flags & DF_STATIC_TLS, 0U);
}

TEST_F(Needs, CanBeUnloadedAndBoundAtOnce) {
  EXPECT_EQ(library_.flags_1 & DF_1_NODELETE, 0U);
  EXPECT_TRUE((library_.flags & DF_BIND_NOW) != 0 || (library_.flags_1 & DF_1_NOW) != 0);
}

TEST_F(Needs, MemoryIsProtected) {
  ASSERT_NE(library_.segment(PT_GNU_STACK), nullptr);
  EXPECT_EQ(library_.segment(PT_GNU_STACK)->flags & PF_X, 0U) << "executable stack";
  EXPECT_NE(library_.segment(PT_GNU_RELRO), nullptr) << "relocations stay writable";
  EXPECT_FALSE(library_.text_relocations);
  for (const auto& segment : library_.segments) {
    if (segment.type != PT_LOAD) continue;
    EXPECT_FALSE((segment.flags & PF_W) != 0 && (segment.flags & PF_X) != 0) << "writable and executable";
  }
}

}  // namespace
