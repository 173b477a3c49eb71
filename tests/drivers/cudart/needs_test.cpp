// SPDX-License-Identifier: Apache-2.0
// What libcudart exports, under which version, and what it asks of the process that loads it.
#include <elf.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "tests/drivers/abi/elf_reader.hpp"
#include "tests/drivers/cudart/cudart.hpp"

namespace nvmlab::cudart_test {
namespace {

TEST(CudartNeeds, OnlyAnOldCLibrary) {
  for (const int major : {12, 13}) {
    const auto library = elf::read_library(library_of(major));
    ASSERT_TRUE(library) << library.error();
    EXPECT_EQ(library->soname, "libcudart.so." + std::to_string(major));
    EXPECT_EQ(library->needed, std::vector<std::string>{"libc.so.6"});
    EXPECT_EQ(library->search_path, "");
    for (const elf::Symbol& import : library->imports) {
      if (import.weak && import.version.empty()) continue;  // of the linker
      std::array<int, 2> version{};
      ASSERT_EQ(std::sscanf(import.version.c_str(), "GLIBC_%d.%d", &version[0], &version[1]), 2) << import.name;
      EXPECT_LE(version, (std::array<int, 2>{2, 17})) << import.name;
      for (const char* forbidden : {"malloc", "free", "pthread_create", "signal", "exit", "abort", "_Znwm"})
        EXPECT_NE(import.name, forbidden);
    }
    EXPECT_LE(library->init_functions, 1u);  // of the compiler's start files
    for (const elf::Segment& segment : library->segments)
      EXPECT_NE(segment.type, static_cast<std::uint32_t>(PT_TLS));
    EXPECT_NE(library->flags_1 & DF_1_NODELETE, 0u);
  }
}

// Programs are linked against names with a version; the loader holds it against ours.
TEST(CudartNeeds, NamesHaveTheVersionOfTheirRelease) {
  for (const int major : {12, 13}) {
    const Cudart runtime(major);
    ASSERT_TRUE(runtime.open());
    void* const handle = ::dlopen(library_of(major).c_str(), RTLD_NOW);
    const std::string version = "libcudart.so." + std::to_string(major);
    EXPECT_NE(::dlvsym(handle, "cudaMalloc", version.c_str()), nullptr);
    EXPECT_EQ(::dlvsym(handle, "cudaMalloc", "libcudart.so.11"), nullptr);
    EXPECT_EQ(runtime.address("cudaGetDeviceProperties_v2") != nullptr, major == 12);
    EXPECT_EQ(runtime.address("cudaGreenCtxCreate") != nullptr, major == 13);
  }
}

}  // namespace
}  // namespace nvmlab::cudart_test
