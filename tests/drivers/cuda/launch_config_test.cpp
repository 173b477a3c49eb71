// SPDX-License-Identifier: Apache-2.0
// Launches with attributes: grids whose blocks run at the same time, and what is refused.
#include <gtest/gtest.h>
#include <sched.h>

#include <cstring>

#include "tests/drivers/cuda/kernels.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr int kTooLarge = 720;

struct Attribute {
  unsigned id;
  unsigned unused;
  unsigned words[16];
};

struct Config {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared;
  void* stream;
  Attribute* attributes;
  unsigned count;
};

using LaunchEx = int(const Config*, void*, void**, void**);

int launch_with(const Cuda& cuda, void* function, unsigned blocks, Pointer out, Attribute attribute) {
  void* parameters[] = {&out};
  const Config config{{blocks, 1, 1}, {32, 1, 1}, 0, nullptr, &attribute, 1};
  return cuda.call<LaunchEx>("cuLaunchKernelEx", &config, function, parameters, static_cast<void**>(nullptr));
}

// Writes the lower half of where its grid meets: 0 where the grid is none in step.
const char* const kMeeting =
    ".version 6.0\n.target sm_60\n.address_size 64\n.visible .entry k(.param .u64 out) {\n.reg .b32 %x;\n.reg .b64 "
    "%o;\n"
    "ld.param.u64 %o, [out];\nmov.u32 %x, %envreg2;\nst.global.u32 [%o], %x;\nret;\n}\n";

TEST(CudaLaunchConfig, OfAGridInStep) {
  EXPECT_EQ(
      in_cuda({},
              [](const Cuda& cuda) {
                cuda.context();
                void* function = kernel(cuda, kMeeting, "k");
                Pointer out = cuda.allocate(4);
                const auto seen = [&] {
                  unsigned value = 77;
                  cuda.call<CopyFrom>("cuMemcpyDtoH_v2", &value, out, sizeof value);
                  return value;
                };
                CUDA_STEP(1, kSuccess, launch_with(cuda, function, 2, out, {2, 0, {1}}));
                if (seen() == 0) return 2;
                CUDA_STEP(3, kSuccess, launch_with(cuda, function, 2, out, {2, 0, {0}}));
                CUDA_STEP(4, 0u, seen());
                // As many blocks as the device holds at once, and one more.
                int each = 0;
                CUDA_STEP(5, kSuccess,
                          cuda.call<int(int*, void*, int, std::size_t)>("cuOccupancyMaxActiveBlocksPerMultiprocessor",
                                                                        &each, function, 32, std::size_t{0}));
                const auto most = static_cast<unsigned>(each * cuda.attribute(16, 0));
                CUDA_STEP(6, kSuccess, launch_with(cuda, function, most, out, {2, 0, {1}}));
                CUDA_STEP(7, kTooLarge, launch_with(cuda, function, most + 1, out, {2, 0, {1}}));
                CUDA_STEP(8, kSuccess, launch_with(cuda, function, most + 1, out, {2, 0, {0}}));
                void* parameters[] = {&out};
                using Cooperative =
                    int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**);
                CUDA_STEP(9, kTooLarge,
                          cuda.call<Cooperative>("cuLaunchCooperativeKernel", function, 65535u, 65535u, 65535u, 32u, 1u,
                                                 1u, 0u, nullptr, parameters));
                return 0;
              }),
      "exit 0");
}

// Counts its blocks, and ends when all have come.
const char* const kAllCome = R"(.version 6.0
.target sm_60
.address_size 64
.visible .entry k(.param .u64 count) {
  .reg .b32 %blocks, %came, %thread;
  .reg .b64 %at;
  .reg .pred %first, %fewer;
  ld.param.u64 %at, [count];
  mov.u32 %blocks, %nctaid.x;
  mov.u32 %thread, %tid.x;
  setp.eq.u32 %first, %thread, 0;
  @%first red.global.add.u32 [%at], 1;
again:
  ld.volatile.global.u32 %came, [%at];
  setp.lt.u32 %fewer, %came, %blocks;
  @%fewer bra again;
  ret;
})";

TEST(CudaLaunchConfig, AsManyBlocksInStepAsADeviceHoldsOnOneProcessor) {
  EXPECT_EQ(
      in_cuda({},
              [](const Cuda& cuda) {
                cpu_set_t one;
                CPU_ZERO(&one);
                CPU_SET(sched_getcpu(), &one);
                if (sched_setaffinity(0, sizeof one, &one) != 0) return 1;
                cuda.context();
                void* function = kernel(cuda, kAllCome, "k");
                const Pointer count = cuda.allocate(4);
                int each = 0;
                CUDA_STEP(2, kSuccess,
                          cuda.call<int(int*, void*, int, std::size_t)>("cuOccupancyMaxActiveBlocksPerMultiprocessor",
                                                                        &each, function, 32, std::size_t{0}));
                const auto most = static_cast<unsigned>(each * cuda.attribute(16, 0));
                CUDA_STEP(3, true, most > 1024);
                CUDA_STEP(4, kSuccess,
                          cuda.call<int(Pointer, unsigned, std::size_t)>("cuMemsetD32_v2", count, 0u, std::size_t{1}));
                CUDA_STEP(5, kSuccess, launch_with(cuda, function, most, count, {2, 0, {1}}));
                CUDA_STEP(6, kSuccess, cuda.call<int()>("cuCtxSynchronize"));
                unsigned came = 0;
                cuda.call<CopyFrom>("cuMemcpyDtoH_v2", &came, count, sizeof came);
                CUDA_STEP(7, most, came);
                return 0;
              }),
      "exit 0");
}

TEST(CudaLaunchConfig, ThatAreNotDoneAreRefused) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      void* function = kernel(cuda, kMeeting, "k");
                      Pointer out = cuda.allocate(4);
                      constexpr int kNotSupported = 801;
                      CUDA_STEP(1, kSuccess, launch_with(cuda, function, 2, out, {4, 0, {1, 1, 1}}));
                      CUDA_STEP(2, 912, launch_with(cuda, function, 2, out, {4, 0, {4, 1, 1}}));
                      CUDA_STEP(3, kInvalidValue, launch_with(cuda, function, 2, out, {4, 0, {1, 0, 1}}));
                      CUDA_STEP(4, kNotSupported, launch_with(cuda, function, 2, out, {7, 0, {}}));
                      CUDA_STEP(5, kNotSupported, launch_with(cuda, function, 2, out, {12, 0, {}}));
                      CUDA_STEP(6, kNotSupported, launch_with(cuda, function, 2, out, {13, 0, {1}}));
                      CUDA_STEP(7, kSuccess, launch_with(cuda, function, 2, out, {8, 0, {1}}));
                      const Config config{{1, 1, 1}, {32, 1, 1}, 0, nullptr, nullptr, 1};
                      void* parameters[] = {&out};
                      CUDA_STEP(8, kInvalidValue,
                                cuda.call<LaunchEx>("cuLaunchKernelEx", &config, function, parameters,
                                                    static_cast<void**>(nullptr)));
                      return 0;
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
