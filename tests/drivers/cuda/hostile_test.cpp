// SPDX-License-Identifier: Apache-2.0
// Handles that are none, null where a pointer was expected, and every function that is not simulated: an error code.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/drivers/abi/elf_reader.hpp"
#include "tests/drivers/cuda/cuda.hpp"

namespace nvmlab::cuda_test {
namespace {

void* pointer(std::uint64_t value) { return reinterpret_cast<void*>(value); }

std::vector<std::string> exported() {
  std::vector<std::string> names;
  if (const auto library = elf::read_library(abi_test::driver_folder() + "/libcuda.so.1")) {
    for (const elf::Symbol& symbol : library->exports)
      names.push_back(symbol.name);
  }
  return names;
}

TEST(CudaHostile, HandlesThatAreNoneAreRefused) {
  EXPECT_EQ(
      in_cuda({},
              [](const Cuda& cuda) {
                const auto good = reinterpret_cast<std::uint64_t>(cuda.context());
                for (int bit = 0; bit < 64; ++bit) {
                  const int code = cuda.call<int(void*)>("cuCtxSetCurrent", pointer(good ^ std::uint64_t{1} << bit));
                  if (code != kInvalidContext && code != kContextIsDestroyed) return bit + 1;
                }
                for (const std::uint64_t word : {std::uint64_t{1}, std::uint64_t{8}, ~std::uint64_t{0}, good << 1}) {
                  if (cuda.call<int(void*)>("cuCtxDestroy_v2", pointer(word)) == kSuccess) return 100;
                  if (cuda.call<int(void*)>("cuEventQuery", pointer(word)) == kSuccess) return 101;
                  if (word > 2 && cuda.call<int(void*)>("cuStreamQuery", pointer(word)) == kSuccess) return 102;
                }
                return 0;
              }),
      "exit 0");
}

// Six nulls: whatever a function takes, its pointers are null and its sizes zero.
TEST(CudaHostile, NothingFallsOverNulls) {
  const std::vector<std::string> names = exported();
  ASSERT_GT(names.size(), 700u);
  EXPECT_EQ(in_cuda({},
                    [&names](const Cuda& cuda) {
                      cuda.context();
                      for (const std::string& name : names) {
                        using Six = int(void*, void*, void*, void*, void*, void*);
                        if (name == "cuMemcpyPeer") continue;
                        cuda.call<Six>(name.c_str(), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
                      }
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaHostile, WhatIsNotSimulatedSaysSo) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      for (const char* name : {"cuGraphAddExternalSemaphoresSignalNode", "cuLinkCreate",
                                               "cuMulticastCreate", "cuLogicalEndpointCreate", "cuMemMapArrayAsync",
                                               "cuDestroyExternalMemory", "cuSignalExternalSemaphoresAsync_ptsz"})
                        CUDA_STEP(1, kNotSupported, cuda.call<int()>(name));
                      return 0;
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
