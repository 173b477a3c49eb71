// SPDX-License-Identifier: Apache-2.0
// What a kernel may have: time, a stack, blocks and threads. More is an error
// code, and the process goes on.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/drivers/cuda/cuda.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::cuda_test {
namespace {

using LoadData = int(void**, const void*);
using Launch = int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);

constexpr int kLaunchTimeout = 702;
constexpr int kLaunchFailed = 719;

void* kernel(const Cuda& cuda, const char* name) {
  std::ifstream file(std::string(NVMLAB_KERNELS_FOLDER) + "/limits.ptx");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  void* module = nullptr;
  void* function = nullptr;
  if (cuda.call<LoadData>("cuModuleLoadData", &module, text.c_str()) != kSuccess) return nullptr;
  cuda.call<int(void**, void*, const char*)>("cuModuleGetFunction", &function, module, name);
  return function;
}

int launch(const Cuda& cuda, void* function, unsigned x, unsigned y, unsigned threads, void** parameters = nullptr) {
  return cuda.call<Launch>("cuLaunchKernel", function, x, y, 1, threads, 1, 1, 0, nullptr, parameters, nullptr);
}

int synchronise(const Cuda& cuda) { return cuda.call<int()>("cuCtxSynchronize"); }

TEST(CudaLimits, AKernelWithoutAnEndIsEnded) {
  for (const char* name : {"endless", "waiting"}) {
    EXPECT_EQ(in_cuda({{"NVMLAB_KERNEL_TIMEOUT", "100ms"}},
                      [&](const Cuda& cuda) {
                        void* context = cuda.context();
                        void* function = kernel(cuda, name);
                        Pointer flag = cuda.allocate(4);
                        CUDA_STEP(1, kSuccess,
                                  cuda.call<int(Pointer, unsigned char, std::size_t)>("cuMemsetD8_v2", flag, 0, 4));
                        void* parameters[] = {&flag};
                        CUDA_STEP(2, kSuccess, launch(cuda, function, 100, 1, 64, parameters));
                        CUDA_STEP(3, kLaunchTimeout, synchronise(cuda));
                        CUDA_STEP(4, kLaunchTimeout, launch(cuda, function, 1, 1, 1, parameters));
                        CUDA_STEP(5, kSuccess, cuda.call<int(void*)>("cuCtxDestroy_v2", context));
                        // A new context works. On a busy machine even this kernel may take longer than the limit.
                        const auto works = [&] {
                          void* next = cuda.context();
                          const bool good = launch(cuda, kernel(cuda, "nothing"), 1, 1, 1) == kSuccess &&
                                            synchronise(cuda) == kSuccess;
                          cuda.call<int(void*)>("cuCtxDestroy_v2", next);
                          return good;
                        };
                        CUDA_STEP(6, true, test::eventually(works));
                        return 0;
                      }),
              "exit 0")
        << name;
  }
}

TEST(CudaLimits, ATimeThatIsNoneIsTold) {
  for (const char* wrong : {"soon", "0s", "10", "-1s", "10s later"}) {
    EXPECT_EQ(in_cuda({{"NVMLAB_KERNEL_TIMEOUT", wrong}},
                      [](const Cuda& cuda) {
                        cuda.context();
                        void* module = nullptr;
                        char log[256] = "";
                        int options[] = {5, 6};
                        void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
                        CUDA_STEP(
                            1, kInvalidValue,
                            cuda.call<int(void**, const void*, unsigned, int*, void**)>(
                                "cuModuleLoadDataEx", &module, ".version 8.0\n.target sm_80\n", 2u, options, values));
                        return std::string(log).find("NVMLAB_KERNEL_TIMEOUT") == 0 ? 0 : 2;
                      }),
              "exit 0")
        << wrong;
  }
}

TEST(CudaLimits, AStackHasABottom) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      // More than any GPU has: it is not taken, or cut, and
                      // never overrun.
                      cuda.call<int(int, std::size_t)>("cuCtxSetLimit", 0, ~std::size_t{0} - 7);
                      void* function = kernel(cuda, "bottomless");
                      CUDA_STEP(1, kSuccess, launch(cuda, function, 2, 1, 64));
                      CUDA_STEP(2, kLaunchFailed, synchronise(cuda));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaLimits, GridsAndBlocks) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      void* nothing = kernel(cuda, "nothing");
                      void* narrow = kernel(cuda, "narrow");
                      CUDA_STEP(1, kInvalidValue, launch(cuda, nothing, 0x80000000U, 1, 1));
                      CUDA_STEP(2, kInvalidValue, launch(cuda, nothing, 1, 65536, 1));
                      CUDA_STEP(3, kInvalidValue, launch(cuda, nothing, 0, 1, 1));
                      CUDA_STEP(4, kInvalidValue, launch(cuda, nothing, 1, 1, 1025));
                      CUDA_STEP(5, kInvalidValue, launch(cuda, narrow, 1, 1, 65));
                      CUDA_STEP(6, kSuccess, launch(cuda, narrow, 1, 1, 64));
                      CUDA_STEP(7, kSuccess, launch(cuda, nothing, 1, 65535, 32));
                      CUDA_STEP(8, kSuccess, synchronise(cuda));
                      return 0;
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
