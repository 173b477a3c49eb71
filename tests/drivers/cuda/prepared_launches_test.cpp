// SPDX-License-Identifier: Apache-2.0
// Launches that are prepared call by call, as programs of before CUDA 4 (and PyCUDA) do it.
#include <gtest/gtest.h>

#include <vector>

#include "tests/drivers/cuda/kernels.hpp"

namespace nvmlab::cuda_test {
namespace {

using SetShape = int(void*, int, int, int);
using SetSize = int(void*, unsigned);
using SetValue = int(void*, int, const void*, unsigned);
using SetInteger = int(void*, int, unsigned);
using LaunchGrid = int(void*, int, int);
using LaunchGridAsync = int(void*, int, int, void*);

// vector_add(a, a, c, count), prepared for blocks of 256.
int prepare(const Cuda& cuda, void* function, Pointer a, Pointer c, unsigned count) {
  CUDA_STEP(11, kSuccess, cuda.call<SetShape>("cuFuncSetBlockShape", function, 256, 1, 1));
  CUDA_STEP(12, kSuccess, cuda.call<SetSize>("cuFuncSetSharedSize", function, 64U));
  CUDA_STEP(13, kSuccess, cuda.call<SetValue>("cuParamSetv", function, 0, &a, sizeof a));
  CUDA_STEP(14, kSuccess, cuda.call<SetValue>("cuParamSetv", function, 8, &a, sizeof a));
  CUDA_STEP(15, kSuccess, cuda.call<SetValue>("cuParamSetv", function, 16, &c, sizeof c));
  CUDA_STEP(16, kSuccess, cuda.call<SetInteger>("cuParamSeti", function, 24, count));
  CUDA_STEP(17, kSuccess, cuda.call<SetSize>("cuParamSetSize", function, 28U));
  return 0;
}

TEST(CudaPreparedLaunches, Compute) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      constexpr unsigned kCount = 1000;
                      std::vector<float> host(kCount, 1.5F);
                      const Pointer a = cuda.allocate(kCount * 4);
                      const Pointer c = cuda.allocate(kCount * 4);
                      CUDA_STEP(1, kSuccess, cuda.call<CopyTo>("cuMemcpyHtoD_v2", a, host.data(), kCount * 4));
                      void* function = kernel(cuda, ptx("vector_add.ptx"), "vector_add");
                      if (const int step = prepare(cuda, function, a, c, kCount); step != 0) return step;
                      CUDA_STEP(2, kSuccess, cuda.call<LaunchGrid>("cuLaunchGrid", function, 4, 1));
                      CUDA_STEP(3, kSuccess, cuda.call<CopyFrom>("cuMemcpyDtoH_v2", host.data(), c, kCount * 4));
                      CUDA_STEP(4, 3.0F, host[999]);
                      // Prepared stays prepared, but for what is said anew.
                      CUDA_STEP(5, kSuccess, cuda.call<SetValue>("cuParamSetv", function, 0, &c, sizeof c));
                      CUDA_STEP(6, kSuccess, cuda.call<LaunchGridAsync>("cuLaunchGridAsync", function, 4, 1, nullptr));
                      CUDA_STEP(7, kSuccess, cuda.call<int(void*)>("cuLaunch", function));
                      CUDA_STEP(8, kSuccess, cuda.call<CopyFrom>("cuMemcpyDtoH_v2", host.data(), c, kCount * 4));
                      CUDA_STEP(9, 4.5F, host[999]);
                      CUDA_STEP(10, 6.0F, host[255]);
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaPreparedLaunches, WrongOnesAreToldSo) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      void* function = kernel(cuda, ptx("vector_add.ptx"), "vector_add");
                      const Pointer a = cuda.allocate(4);
                      CUDA_STEP(1, kInvalidValue, cuda.call<LaunchGrid>("cuLaunchGrid", function, 1, 1));
                      CUDA_STEP(2, kInvalidValue, cuda.call<SetShape>("cuFuncSetBlockShape", function, 0, 1, 1));
                      if (const int step = prepare(cuda, function, a, a, 1); step != 0) return step;
                      CUDA_STEP(3, kInvalidValue, cuda.call<LaunchGrid>("cuLaunchGrid", function, 0, 1));
                      CUDA_STEP(4, kInvalidValue, cuda.call<SetSize>("cuParamSetSize", function, 4097U));
                      CUDA_STEP(5, kInvalidValue, cuda.call<SetValue>("cuParamSetv", function, 4090, &a, sizeof a));
                      CUDA_STEP(6, kInvalidValue, cuda.call<SetValue>("cuParamSetv", function, -1, &a, sizeof a));
                      CUDA_STEP(7, kInvalidValue, cuda.call<SetValue>("cuParamSetv", function, 0, nullptr, 8U));
                      CUDA_STEP(8, kSuccess, cuda.call<SetSize>("cuParamSetSize", function, 20U));
                      CUDA_STEP(9, kInvalidValue, cuda.call<LaunchGrid>("cuLaunchGrid", function, 1, 1));
                      CUDA_STEP(10, kInvalidHandle, cuda.call<SetShape>("cuFuncSetBlockShape", nullptr, 1, 1, 1));
                      return 0;
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
