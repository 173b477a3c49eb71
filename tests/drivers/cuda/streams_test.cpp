// SPDX-License-Identifier: Apache-2.0
// Streams and events as objects; what they do side by side is in concurrency_test.cpp.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/drivers/cuda/cuda.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::cuda_test {
namespace {

TEST(CudaStreams, AreWhatTheyWereCreatedAs) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      void* context = cuda.context();
                      void* stream = nullptr;
                      CUDA_STEP(1, kSuccess,
                                cuda.call<int(void**, unsigned, int)>("cuStreamCreateWithPriority", &stream, 1u, -9));
                      int priority = 1;
                      unsigned flags = 0;
                      void* owner = nullptr;
                      CUDA_STEP(2, kSuccess, cuda.call<int(void*, int*)>("cuStreamGetPriority", stream, &priority));
                      CUDA_STEP(3, -5, priority);
                      CUDA_STEP(4, kSuccess, cuda.call<int(void*, unsigned*)>("cuStreamGetFlags", stream, &flags));
                      CUDA_STEP(5, 1u, flags);
                      CUDA_STEP(6, kSuccess, cuda.call<int(void*, void**)>("cuStreamGetCtx", stream, &owner));
                      CUDA_STEP(7, context, owner);
                      CUDA_STEP(8, kSuccess, cuda.call<int(void*)>("cuStreamQuery", stream));
                      CUDA_STEP(9, kSuccess, cuda.call<int(void*)>("cuStreamSynchronize", nullptr));
                      int called = 0;
                      const auto call = [](void* to) { *static_cast<int*>(to) = 7; };
                      CUDA_STEP(
                          10, kSuccess,
                          cuda.call<int(void*, void (*)(void*), void*)>("cuLaunchHostFunc", stream, call, &called));
                      CUDA_STEP(15, kSuccess, cuda.call<int(void*)>("cuStreamSynchronize", stream));
                      CUDA_STEP(11, 7, called);
                      CUDA_STEP(12, kSuccess, cuda.call<int(void*)>("cuStreamDestroy_v2", stream));
                      CUDA_STEP(13, kInvalidHandle, cuda.call<int(void*)>("cuStreamQuery", stream));
                      CUDA_STEP(14, kInvalidHandle, cuda.call<int(void*)>("cuStreamDestroy_v2", nullptr));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaStreams, EventsTakeTheTime) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      void* start = nullptr;
                      void* end = nullptr;
                      float passed = -1;
                      cuda.call<int(void**, unsigned)>("cuEventCreate", &start, 0u);
                      cuda.call<int(void**, unsigned)>("cuEventCreate", &end, 0u);
                      CUDA_STEP(1, kInvalidHandle,
                                cuda.call<int(float*, void*, void*)>("cuEventElapsedTime", &passed, start, end));
                      CUDA_STEP(2, kSuccess, cuda.call<int(void*, void*)>("cuEventRecord", start, nullptr));
                      CUDA_STEP(10, kSuccess, cuda.call<int(void*)>("cuEventSynchronize", start));
                      const std::chrono::duration<float, std::milli> took = test::elapsed([&] {
                        for (int i = 0; i < 1'000; ++i)
                          cuda.call<int(void*)>("cuEventQuery", start);
                      });
                      CUDA_STEP(3, kSuccess, cuda.call<int(void*, void*)>("cuEventRecord", end, nullptr));
                      CUDA_STEP(4, kSuccess, cuda.call<int(void*)>("cuEventSynchronize", end));
                      CUDA_STEP(5, kSuccess,
                                cuda.call<int(float*, void*, void*)>("cuEventElapsedTime", &passed, start, end));
                      if (passed < took.count() - 0.001F) return 6;
                      CUDA_STEP(7, kSuccess, cuda.call<int(void*)>("cuEventDestroy_v2", end));
                      CUDA_STEP(8, kInvalidHandle, cuda.call<int(void*)>("cuEventQuery", end));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaStreams, EndWithTheirContext) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      void* context = cuda.context();
                      void* stream = nullptr;
                      CUDA_STEP(1, kSuccess, cuda.call<int(void**, unsigned)>("cuStreamCreate", &stream, 0u));
                      CUDA_STEP(2, kSuccess, cuda.call<int(void*)>("cuCtxDestroy_v2", context));
                      cuda.context();
                      CUDA_STEP(3, kInvalidHandle, cuda.call<int(void*)>("cuStreamQuery", stream));
                      return 0;
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
