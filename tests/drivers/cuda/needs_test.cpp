// SPDX-License-Identifier: Apache-2.0
// What libcuda asks of the process that loads it: as little, and as old, as libnvidia-ml does.
#include <elf.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "tests/drivers/abi/elf_reader.hpp"
#include "tests/drivers/cuda/cuda.hpp"

namespace nvmlab::cuda_test {
namespace {

TEST(CudaNeeds, OnlyAnOldCLibrary) {
  const auto library = elf::read_library(abi_test::driver_folder() + "/libcuda.so.1");
  ASSERT_TRUE(library) << library.error();
  EXPECT_EQ(library->soname, "libcuda.so.1");
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
}

TEST(CudaNeeds, NothingRunsWhenItIsLoaded) {
  const auto library = elf::read_library(abi_test::driver_folder() + "/libcuda.so.1");
  ASSERT_TRUE(library) << library.error();
  EXPECT_LE(library->init_functions, 1u);  // of the compiler's start files
  for (const elf::Segment& segment : library->segments)
    EXPECT_NE(segment.type, static_cast<std::uint32_t>(PT_TLS));
  EXPECT_NE(library->flags_1 & DF_1_NODELETE, 0u);
}

}  // namespace
}  // namespace nvmlab::cuda_test
