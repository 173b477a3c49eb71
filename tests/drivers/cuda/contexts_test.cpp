// SPDX-License-Identifier: Apache-2.0
// Primary contexts, created ones, the stack of each thread.
#include <gtest/gtest.h>

#include <thread>

#include "tests/drivers/cuda/cuda.hpp"

namespace nvmlab::cuda_test {
namespace {

void* current(const Cuda& cuda) {
  void* found = nullptr;
  cuda.call<int(void**)>("cuCtxGetCurrent", &found);
  return found;
}

int set(const Cuda& cuda, void* context) { return cuda.call<int(void*)>("cuCtxSetCurrent", context); }

TEST(CudaContexts, ThePrimaryOneIsShared) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      void* first = nullptr;
                      void* second = nullptr;
                      unsigned flags = 9;
                      int active = 9;
                      CUDA_STEP(1, kSuccess,
                                cuda.call<int(int, unsigned*, int*)>("cuDevicePrimaryCtxGetState", 0, &flags, &active));
                      CUDA_STEP(2, 0, active);
                      CUDA_STEP(3, kSuccess, cuda.call<int(int, unsigned)>("cuDevicePrimaryCtxSetFlags_v2", 0, 4u));
                      CUDA_STEP(4, kSuccess, cuda.call<int(void**, int)>("cuDevicePrimaryCtxRetain", &first, 0));
                      CUDA_STEP(5, kSuccess, cuda.call<int(void**, int)>("cuDevicePrimaryCtxRetain", &second, 0));
                      CUDA_STEP(6, first, second);
                      CUDA_STEP(7, nullptr, current(cuda));
                      CUDA_STEP(8, kSuccess, set(cuda, first));
                      CUDA_STEP(9, kSuccess, cuda.call<int(unsigned*)>("cuCtxGetFlags", &flags));
                      CUDA_STEP(10, 4u, flags);
                      CUDA_STEP(11, kSuccess, cuda.call<int(int)>("cuDevicePrimaryCtxRelease_v2", 0));
                      CUDA_STEP(12, kSuccess, cuda.call<int()>("cuCtxSynchronize"));
                      CUDA_STEP(13, kSuccess, cuda.call<int(int)>("cuDevicePrimaryCtxRelease_v2", 0));
                      CUDA_STEP(14, kContextIsDestroyed, cuda.call<int()>("cuCtxSynchronize"));
                      CUDA_STEP(15, kInvalidContext, cuda.call<int(int)>("cuDevicePrimaryCtxRelease_v2", 0));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaContexts, AreAStackOfTheThread) {
  EXPECT_EQ(
      in_cuda({},
              [](const Cuda& cuda) {
                void* one = cuda.context(0);
                void* two = cuda.context(1);
                CUDA_STEP(1, two, current(cuda));
                int device = -1;
                CUDA_STEP(2, kSuccess, cuda.call<int(int*)>("cuCtxGetDevice", &device));
                CUDA_STEP(3, 1, device);
                void* popped = nullptr;
                CUDA_STEP(4, kSuccess, cuda.call<int(void**)>("cuCtxPopCurrent_v2", &popped));
                CUDA_STEP(5, two, popped);
                CUDA_STEP(6, one, current(cuda));
                CUDA_STEP(7, kSuccess, cuda.call<int(void*)>("cuCtxPushCurrent_v2", two));
                int wrong = 0;
                std::thread other([&] {
                  if (current(cuda) != nullptr) wrong = 8;
                  if (cuda.call<int()>("cuCtxSynchronize") != kInvalidContext) wrong = 9;
                  if (set(cuda, one) != kSuccess || current(cuda) != one) wrong = 10;
                });
                other.join();
                if (wrong != 0) return wrong;
                std::thread([&] { wrong = current(cuda) == nullptr ? 0 : 11; }).join();  // nothing is left of the other
                if (wrong != 0) return wrong;
                CUDA_STEP(12, two, current(cuda));
                CUDA_STEP(13, kSuccess, cuda.call<int(void*)>("cuCtxDestroy_v2", two));
                CUDA_STEP(14, one, current(cuda));
                CUDA_STEP(15, kContextIsDestroyed, set(cuda, two));
                CUDA_STEP(16, kSuccess, set(cuda, nullptr));
                CUDA_STEP(17, nullptr, current(cuda));
                CUDA_STEP(18, kInvalidContext, cuda.call<int(void**)>("cuCtxPopCurrent_v2", &popped));
                return 0;
              }),
      "exit 0");
}

TEST(CudaContexts, HaveLimitsThatCanBeSet) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      std::size_t value = 0;
                      cuda.context();
                      CUDA_STEP(1, kSuccess, cuda.call<int(std::size_t*, int)>("cuCtxGetLimit", &value, 0));
                      CUDA_STEP(2, 1024u, value);
                      CUDA_STEP(3, kSuccess, cuda.call<int(int, std::size_t)>("cuCtxSetLimit", 0, std::size_t{4096}));
                      CUDA_STEP(4, kSuccess, cuda.call<int(std::size_t*, int)>("cuCtxGetLimit", &value, 0));
                      CUDA_STEP(5, 4096u, value);
                      CUDA_STEP(6, 215, cuda.call<int(std::size_t*, int)>("cuCtxGetLimit", &value, 99));
                      CUDA_STEP(7, kInvalidValue, cuda.call<int(std::size_t*, int)>("cuCtxGetLimit", nullptr, 0));
                      unsigned version = 0;
                      CUDA_STEP(8, kSuccess, cuda.call<int(void*, unsigned*)>("cuCtxGetApiVersion", nullptr, &version));
                      CUDA_STEP(9, 3020u, version);
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaContexts, PeerAccessIsARelationOfTwo) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      void* two = cuda.context(1);
                      void* one = cuda.context(0);
                      CUDA_STEP(1, kSuccess, cuda.call<int(void*, unsigned)>("cuCtxEnablePeerAccess", two, 0u));
                      CUDA_STEP(2, 704, cuda.call<int(void*, unsigned)>("cuCtxEnablePeerAccess", two, 0u));
                      CUDA_STEP(3, kInvalidDevice, cuda.call<int(void*, unsigned)>("cuCtxEnablePeerAccess", one, 0u));
                      CUDA_STEP(4, kSuccess, cuda.call<int(void*)>("cuCtxDisablePeerAccess", two));
                      CUDA_STEP(5, 705, cuda.call<int(void*)>("cuCtxDisablePeerAccess", two));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaContexts, FlagsAndDevicesAreChecked) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      void* context = nullptr;
                      using Create = int(void**, unsigned, int);
                      CUDA_STEP(1, kInvalidValue, cuda.call<Create>("cuCtxCreate_v2", nullptr, 0u, 0));
                      CUDA_STEP(2, kInvalidValue,
                                cuda.call<Create>("cuCtxCreate_v2", &context, 3u, 0));  // two ways to wait
                      CUDA_STEP(3, kInvalidValue, cuda.call<Create>("cuCtxCreate_v2", &context, 0x10000u, 0));
                      CUDA_STEP(4, kInvalidDevice, cuda.call<Create>("cuCtxCreate_v2", &context, 0u, 8));
                      CUDA_STEP(5, kInvalidDevice, cuda.call<Create>("cuCtxCreate_v2", &context, 0u, -1));
                      CUDA_STEP(6, nullptr, context);
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaContexts, OfCuda13TakeAStructOfSettings) {
  EXPECT_EQ(in_cuda({{"NVMLAB_DRIVER", "580"}},
                    [](const Cuda& cuda) {
                      struct Settings {
                        void* affinity;
                        int count;
                        void* graphics;
                      } settings{};
                      using Create = int(void**, Settings*, unsigned, int);
                      void* context = nullptr;
                      CUDA_STEP(1, kSuccess, cuda.call<int(unsigned)>("cuInit", 0U));
                      CUDA_STEP(2, kSuccess, cuda.call<Create>("cuCtxCreate_v4", &context, nullptr, 0U, 0));
                      CUDA_STEP(3, kSuccess, cuda.call<Create>("cuCtxCreate_v4", &context, &settings, 0U, 1));
                      int device = -1;
                      CUDA_STEP(4, kSuccess, cuda.call<int(int*)>("cuCtxGetDevice", &device));
                      CUDA_STEP(5, 1, device);
                      settings.count = 1;
                      CUDA_STEP(6, kInvalidValue, cuda.call<Create>("cuCtxCreate_v4", &context, &settings, 0U, 1));
                      settings.affinity = &device;
                      CUDA_STEP(7, 224, cuda.call<Create>("cuCtxCreate_v4", &context, &settings, 0U, 1));
                      settings = {nullptr, 0, &device};
                      CUDA_STEP(8, 801, cuda.call<Create>("cuCtxCreate_v4", &context, &settings, 0U, 1));
                      return 0;
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
