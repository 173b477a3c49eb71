// SPDX-License-Identifier: Apache-2.0
// Allocations, what they count for, and copies within their bounds.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "tests/drivers/cuda/cuda.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

using ToDevice = int(Pointer, const void*, std::size_t);
using ToHost = int(void*, Pointer, std::size_t);

TEST(CudaMemory, KeepsWhatIsCopiedThere) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      std::vector<unsigned> from(1000);
                      for (unsigned i = 0; i < 1000; ++i)
                        from[i] = i * 7;
                      std::vector<unsigned> to(1000);
                      const Pointer a = cuda.allocate(4000);
                      const Pointer b = cuda.allocate(4000);
                      CUDA_STEP(1, kSuccess, cuda.call<ToDevice>("cuMemcpyHtoD_v2", a, from.data(), 4000));
                      CUDA_STEP(2, kSuccess,
                                cuda.call<int(Pointer, Pointer, std::size_t)>("cuMemcpyDtoD_v2", b, a, 4000));
                      CUDA_STEP(3, kSuccess,
                                cuda.call<int(Pointer, unsigned, std::size_t)>("cuMemsetD32_v2", b + 40, 99u, 10));
                      CUDA_STEP(4, kSuccess, cuda.call<ToHost>("cuMemcpyDtoH_v2", to.data(), b, 4000));
                      CUDA_STEP(5, 63u, to[9]);
                      CUDA_STEP(6, 99u, to[10]);
                      CUDA_STEP(7, 99u, to[19]);
                      CUDA_STEP(8, 140u, to[20]);
                      CUDA_STEP(9, kSuccess,
                                cuda.call<int(Pointer, Pointer, std::size_t)>(
                                    "cuMemcpy", reinterpret_cast<Pointer>(to.data()), a, 4000));
                      CUDA_STEP(10, 0, std::memcmp(to.data(), from.data(), 4000));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaMemory, BoundsAreThoseOfTheAllocation) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      char bytes[64] = {};
                      CUDA_STEP(1, kInvalidContext, cuda.call<ToDevice>("cuMemcpyHtoD_v2", 4096, bytes, 1));
                      cuda.context();
                      const Pointer a = cuda.allocate(100);
                      CUDA_STEP(2, kSuccess, cuda.call<ToDevice>("cuMemcpyHtoD_v2", a + 40, bytes, 60));
                      CUDA_STEP(3, kInvalidValue, cuda.call<ToDevice>("cuMemcpyHtoD_v2", a + 40, bytes, 61));
                      CUDA_STEP(4, kInvalidValue, cuda.call<ToDevice>("cuMemcpyHtoD_v2", a - 1, bytes, 1));
                      CUDA_STEP(5, kInvalidValue, cuda.call<ToDevice>("cuMemcpyHtoD_v2", a + 100, bytes, 1));
                      CUDA_STEP(6, kInvalidValue, cuda.call<ToHost>("cuMemcpyDtoH_v2", bytes, ~0ULL, 8));
                      CUDA_STEP(7, kInvalidValue, cuda.call<ToHost>("cuMemcpyDtoH_v2", bytes, a, ~std::size_t{0}));
                      CUDA_STEP(8, kInvalidValue, cuda.call<ToHost>("cuMemcpyDtoH_v2", nullptr, a, 8));
                      CUDA_STEP(9, kSuccess, cuda.call<ToHost>("cuMemcpyDtoH_v2", nullptr, 0, 0));
                      CUDA_STEP(10, kInvalidValue,
                                cuda.call<int(Pointer, unsigned, std::size_t)>("cuMemsetD32_v2", a + 1, 0u, 1));
                      CUDA_STEP(
                          11, kInvalidValue,
                          cuda.call<int(Pointer, unsigned, std::size_t)>("cuMemsetD32_v2", a, 0u, ~std::size_t{0} / 2));
                      CUDA_STEP(12, kInvalidValue, cuda.call<int(Pointer)>("cuMemFree_v2", a + 1));
                      CUDA_STEP(13, kSuccess, cuda.call<int(Pointer)>("cuMemFree_v2", a));
                      CUDA_STEP(14, kInvalidValue, cuda.call<int(Pointer)>("cuMemFree_v2", a));
                      CUDA_STEP(15, kInvalidValue, cuda.call<ToDevice>("cuMemcpyHtoD_v2", a, bytes, 1));
                      CUDA_STEP(16, kSuccess, cuda.call<int(Pointer)>("cuMemFree_v2", Pointer{0}));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaMemory, CountsAgainstTheBoard) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      void* context = cuda.context();
                      const std::size_t before = cuda.free_memory();
                      std::size_t total = 0;
                      cuda.call<int(std::size_t*, int)>("cuDeviceTotalMem_v2", &total, 0);
                      if (before == 0 || before >= total) return 1;
                      const Pointer large = cuda.allocate(1000 * kMiB);
                      CUDA_STEP(2, before - 1000 * kMiB, cuda.free_memory());
                      const Pointer small = cuda.allocate(1);
                      CUDA_STEP(3, before - 1002 * kMiB, cuda.free_memory());
                      if (cuda.allocate(4096) == 0) return 4;
                      CUDA_STEP(5, before - 1002 * kMiB, cuda.free_memory());  // within the block of the one before
                      Pointer none = 0;
                      CUDA_STEP(6, kOutOfMemory, cuda.call<int(Pointer*, std::size_t)>("cuMemAlloc_v2", &none, total));
                      CUDA_STEP(7, kOutOfMemory,
                                cuda.call<int(Pointer*, std::size_t)>("cuMemAlloc_v2", &none, ~std::size_t{0}));
                      CUDA_STEP(8, kInvalidValue, cuda.call<int(Pointer*, std::size_t)>("cuMemAlloc_v2", &none, 0));
                      CUDA_STEP(9, kSuccess, cuda.call<int(Pointer)>("cuMemFree_v2", large));
                      CUDA_STEP(10, kSuccess, cuda.call<int(Pointer)>("cuMemFree_v2", small));
                      CUDA_STEP(11, before - 2 * kMiB, cuda.free_memory());
                      CUDA_STEP(12, kSuccess, cuda.call<int(void*)>("cuCtxDestroy_v2", context));
                      cuda.context();
                      CUDA_STEP(13, before, cuda.free_memory());
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaMemory, OfTheHostHasOneAddressForBoth) {
  EXPECT_EQ(
      in_cuda({},
              [](const Cuda& cuda) {
                cuda.context();
                void* host = nullptr;
                Pointer device = 0;
                unsigned flags = 0;
                CUDA_STEP(1, kSuccess,
                          cuda.call<int(void**, std::size_t, unsigned)>("cuMemHostAlloc", &host, 4096, 2u));
                std::memset(host, 5, 4096);
                CUDA_STEP(2, kSuccess,
                          cuda.call<int(Pointer*, void*, unsigned)>("cuMemHostGetDevicePointer_v2", &device, host, 0u));
                CUDA_STEP(3, reinterpret_cast<Pointer>(host), device);
                CUDA_STEP(4, kSuccess, cuda.call<int(unsigned*, void*)>("cuMemHostGetFlags", &flags, host));
                CUDA_STEP(5, 2u, flags);
                CUDA_STEP(6, kInvalidValue, cuda.call<int(Pointer)>("cuMemFree_v2", device));
                unsigned type = 0;
                CUDA_STEP(7, kSuccess, cuda.call<int(void*, int, Pointer)>("cuPointerGetAttribute", &type, 2, device));
                CUDA_STEP(8, 1u, type);
                CUDA_STEP(9, kSuccess, cuda.call<int(void*)>("cuMemFreeHost", host));
                CUDA_STEP(10, kInvalidValue, cuda.call<int(void*)>("cuMemFreeHost", host));
                return 0;
              }),
      "exit 0");
}

struct Copy2D {  // CUDA_MEMCPY2D
  std::size_t from_x, from_y;
  int from_type;
  const void* from_host;
  Pointer from_device;
  void* from_array;
  std::size_t from_pitch, to_x, to_y;
  int to_type;
  void* to_host;
  Pointer to_device;
  void* to_array;
  std::size_t to_pitch, width, height;
};

TEST(CudaMemory, RowsAreCopiedWithinBounds) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      char from[16] = "abcdefghijklmno";
                      char to[16] = {};
                      Pointer rows = 0;
                      std::size_t pitch = 0;
                      CUDA_STEP(1, kSuccess,
                                cuda.call<int(Pointer*, std::size_t*, std::size_t, std::size_t, unsigned)>(
                                    "cuMemAllocPitch_v2", &rows, &pitch, 4, 4, 4));
                      CUDA_STEP(2, 512u, pitch);
                      Copy2D copy{};
                      copy.from_type = 1;
                      copy.from_host = from;
                      copy.from_pitch = 4;
                      copy.to_type = 2;
                      copy.to_device = rows;
                      copy.to_pitch = pitch;
                      copy.width = 4;
                      copy.height = 4;
                      CUDA_STEP(3, kSuccess, cuda.call<int(const Copy2D*)>("cuMemcpy2D_v2", &copy));
                      CUDA_STEP(4, kSuccess, cuda.call<ToHost>("cuMemcpyDtoH_v2", to, rows + 2 * pitch, 4));
                      CUDA_STEP(5, 0, std::memcmp(to, "ijkl", 4));
                      copy.height = 5;
                      CUDA_STEP(6, kInvalidValue, cuda.call<int(const Copy2D*)>("cuMemcpy2D_v2", &copy));
                      copy.height = ~std::size_t{0};
                      CUDA_STEP(7, kInvalidValue, cuda.call<int(const Copy2D*)>("cuMemcpy2D_v2", &copy));
                      copy.height = 1;
                      copy.width = 5;
                      CUDA_STEP(8, kInvalidValue, cuda.call<int(const Copy2D*)>("cuMemcpy2D_v2", &copy));
                      copy.to_type = 3;
                      copy.width = 4;
                      CUDA_STEP(9, kInvalidHandle, cuda.call<int(const Copy2D*)>("cuMemcpy2D_v2", &copy));
                      CUDA_STEP(10, kInvalidValue, cuda.call<int(const Copy2D*)>("cuMemcpy2D_v2", nullptr));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaMemory, AnAddressTellsWhatItIsOf) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      const Pointer memory = cuda.allocate(1000);
                      int ordinal = 7;
                      std::size_t size = 0;
                      int attributes[] = {9, 12};
                      void* data[] = {&ordinal, &size};
                      using Ask = int(unsigned, int*, void**, Pointer);
                      CUDA_STEP(1, kSuccess,
                                cuda.call<Ask>("cuPointerGetAttributes", 2, attributes, data, memory + 10));
                      CUDA_STEP(2, 0, ordinal);
                      CUDA_STEP(3, 1000u, size);
                      CUDA_STEP(4, kSuccess, cuda.call<Ask>("cuPointerGetAttributes", 2, attributes, data, 4096));
                      CUDA_STEP(5, -2, ordinal);
                      CUDA_STEP(6, 0u, size);
                      CUDA_STEP(7, kInvalidValue, cuda.call<Ask>("cuPointerGetAttributes", 2, nullptr, data, memory));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaMemory, ThreadsAllocateSideBySide) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      void* context = cuda.context();
                      const std::size_t before = cuda.free_memory();
                      std::vector<std::thread> threads;
                      std::atomic<int> wrong = 0;
                      for (int t = 0; t < 4; ++t) {
                        threads.emplace_back([&, t] {
                          cuda.call<int(void*)>("cuCtxSetCurrent", context);
                          for (int i = 0; i < 200; ++i) {
                            const Pointer made = cuda.allocate(static_cast<std::size_t>(i + 1) * 1000);
                            const auto fill = static_cast<unsigned char>(t + i);
                            unsigned char back = 0;
                            if (made == 0 ||
                                cuda.call<int(Pointer, unsigned char, std::size_t)>(
                                    "cuMemsetD8_v2", made, fill, static_cast<std::size_t>(i + 1) * 1000) != 0 ||
                                cuda.call<ToHost>("cuMemcpyDtoH_v2", &back, made + static_cast<Pointer>(i), 1) != 0 ||
                                back != fill || cuda.call<int(Pointer)>("cuMemFree_v2", made) != 0)
                              ++wrong;
                          }
                        });
                      }
                      for (std::thread& thread : threads)
                        thread.join();
                      if (wrong != 0) return 1;
                      CUDA_STEP(2, before, cuda.free_memory());
                      return 0;
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
