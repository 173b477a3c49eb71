// SPDX-License-Identifier: Apache-2.0
// cuInit, what it says where there is no driver, versions, codes, and what a forked child finds.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>
#include <vector>

#include "tests/drivers/cuda/cuda.hpp"

namespace nvmlab::cuda_test {
namespace {

TEST(CudaLifecycle, NothingWorksBeforeInitButWhatTellsOfTheDriver) {
  EXPECT_EQ(in_child([] {
              const Cuda cuda;
              int version = 0;
              CUDA_STEP(1, kSuccess, cuda.call<int(int*)>("cuDriverGetVersion", &version));
              CUDA_STEP(2, 12080, version);
              CUDA_STEP(3, -kNotInitialized, cuda.count());
              CUDA_STEP(4, kNotInitialized, cuda.call<int(void**)>("cuCtxGetCurrent", nullptr));
              CUDA_STEP(5, kNotInitialized, cuda.call<int(Pointer*, std::size_t)>("cuMemAlloc_v2", nullptr, 1));
              CUDA_STEP(6, kNotInitialized, cuda.call<int()>("cuGraphCreate"));
              CUDA_STEP(7, kInvalidValue, cuda.call<int(unsigned)>("cuInit", 1u));
              CUDA_STEP(8, -kNotInitialized, cuda.count());
              CUDA_STEP(9, kSuccess, cuda.init());
              CUDA_STEP(10, kSuccess, cuda.init());
              CUDA_STEP(11, 8, cuda.count());
              return 0;
            }),
            "exit 0");
}

TEST(CudaLifecycle, InitFailsAsTheDriverDoes) {
  const auto nothing = [](const Cuda& cuda) { return cuda.count() == -kNotInitialized ? 0 : 1; };
  EXPECT_EQ(in_cuda({{"NVMLAB_INIT_ERROR", "9"}}, nothing, kNoDevice), "exit 0");
  EXPECT_EQ(in_cuda({{"NVMLAB_INIT_ERROR", "18"}}, nothing, kSystemDriverMismatch), "exit 0");
  EXPECT_EQ(in_cuda({{"NVMLAB_INIT_ERROR", "999"}}, nothing, kUnknown), "exit 0");
  EXPECT_EQ(in_cuda({{"NVMLAB_GPUS", "0"}}, nothing, kNoDevice), "exit 0");
}

TEST(CudaLifecycle, AForkedChildIsNotInitialised) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      CUDA_STEP(1, 8, cuda.count());
                      const std::string child = in_child([&cuda] {
                        CUDA_STEP(2, -kNotInitialized, cuda.count());
                        CUDA_STEP(3, kNotInitialized, cuda.init());
                        CUDA_STEP(4, -kNotInitialized, cuda.attribute(16, 0));
                        return 0;
                      });
                      if (child != "exit 0") return 5;
                      CUDA_STEP(6, 8, cuda.count());
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaLifecycle, CodesHaveNamesAndTexts) {
  EXPECT_EQ(in_cuda({{"NVMLAB_DRIVER", "550"}},
                    [](const Cuda& cuda) {
                      const auto text = [&cuda](const char* function, int code) {
                        const char* found = nullptr;
                        const int result = cuda.call<int(int, const char**)>(function, code, &found);
                        return std::string(result == kSuccess && found != nullptr ? found : "none");
                      };
                      CUDA_STEP(1, "CUDA_ERROR_NOT_SUPPORTED", text("cuGetErrorName", 801));
                      CUDA_STEP(2, "operation not supported", text("cuGetErrorString", 801));
                      CUDA_STEP(3, "none", text("cuGetErrorName", 12345));
                      CUDA_STEP(4, "none", text("cuGetErrorName", 721));  // CUDA 12.8
                      CUDA_STEP(5, kInvalidValue, cuda.call<int(int, const char**)>("cuGetErrorName", 801, nullptr));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaLifecycle, ManyThreadsInitialiseOnce) {
  EXPECT_EQ(in_child([] {
              const Cuda cuda;
              std::vector<std::thread> threads;
              std::atomic<int> wrong = 0;
              for (int i = 0; i < 8; ++i) {
                threads.emplace_back([&] {
                  if (cuda.init() != kSuccess || cuda.count() != 8) ++wrong;
                });
              }
              for (std::thread& thread : threads)
                thread.join();
              return wrong.load();
            }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
