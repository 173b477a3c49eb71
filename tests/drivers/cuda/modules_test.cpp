// SPDX-License-Identifier: Apache-2.0
// Modules and kernels through libcuda: PTX is loaded, kernels compute, what goes wrong in one is told by the context.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/drivers/cuda/kernels.hpp"

namespace nvmlab::cuda_test {
namespace {

TEST(CudaModules, KernelsCompute) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      constexpr unsigned kCount = 1000;
                      std::vector<float> host(kCount);
                      for (unsigned i = 0; i < kCount; ++i)
                        host[i] = static_cast<float>(i) * 0.5F;
                      Pointer a = cuda.allocate(kCount * 4);
                      Pointer c = cuda.allocate(kCount * 4);
                      unsigned count = kCount;
                      CUDA_STEP(1, kSuccess, cuda.call<CopyTo>("cuMemcpyHtoD_v2", a, host.data(), kCount * 4));
                      void* function = kernel(cuda, ptx("vector_add.ptx"), "vector_add");
                      if (function == nullptr) return 2;
                      void* parameters[] = {&a, &a, &c, &count};
                      CUDA_STEP(3, kSuccess, launch(cuda, function, 4, 256, parameters));
                      CUDA_STEP(4, kSuccess, cuda.call<int()>("cuCtxSynchronize"));
                      std::vector<float> sums(kCount);
                      CUDA_STEP(5, kSuccess, cuda.call<CopyFrom>("cuMemcpyDtoH_v2", sums.data(), c, kCount * 4));
                      for (unsigned i = 0; i < kCount; ++i)
                        CUDA_STEP(6, host[i] * 2, sums[i]);
                      // The same by a buffer that the caller has packed.
                      struct {
                        Pointer a, b, c;
                        unsigned count;
                      } packed{c, c, a, kCount};
                      std::size_t size = sizeof packed;
                      void* extra[] = {reinterpret_cast<void*>(1), &packed, reinterpret_cast<void*>(2), &size, nullptr};
                      CUDA_STEP(7, kSuccess, launch(cuda, function, 4, 256, nullptr, extra));
                      CUDA_STEP(8, kSuccess, cuda.call<CopyFrom>("cuMemcpyDtoH_v2", sums.data(), a, kCount * 4));
                      CUDA_STEP(9, host[999] * 4, sums[999]);
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaModules, TellWhatTheyHold) {
  EXPECT_EQ(
      in_cuda({},
              [](const Cuda& cuda) {
                cuda.context();
                void* module = nullptr;
                void* function = nullptr;
                void* again = nullptr;
                const std::string text = ptx("reduce.ptx");
                CUDA_STEP(1, kSuccess, cuda.call<LoadData>("cuModuleLoadData", &module, text.c_str()));
                CUDA_STEP(2, kSuccess, cuda.call<GetFunction>("cuModuleGetFunction", &function, module, "reduce"));
                CUDA_STEP(3, kSuccess, cuda.call<GetFunction>("cuModuleGetFunction", &again, module, "reduce"));
                CUDA_STEP(4, function, again);
                CUDA_STEP(5, 500, cuda.call<GetFunction>("cuModuleGetFunction", &again, module, "nothing"));
                int value = 0;
                CUDA_STEP(6, kSuccess, cuda.call<int(int*, int, void*)>("cuFuncGetAttribute", &value, 1, function));
                CUDA_STEP(7, 1024, value);
                const char* name = nullptr;
                CUDA_STEP(8, kSuccess, cuda.call<int(const char**, void*)>("cuFuncGetName", &name, function));
                if (std::string(name) != "reduce") return 9;
                std::size_t offset = 0;
                std::size_t size = 0;
                CUDA_STEP(10, kSuccess,
                          cuda.call<int(void*, std::size_t, std::size_t*, std::size_t*)>("cuFuncGetParamInfo", function,
                                                                                         1, &offset, &size));
                CUDA_STEP(11, std::size_t{8}, offset);
                for (const char* count : {"cuFuncGetParamCount", "cuKernelGetParamCount"}) {
                  using Count = int(void*, std::size_t*);
                  CUDA_STEP(16, kSuccess, cuda.call<Count>(count, function, &size));
                  CUDA_STEP(17, kInvalidValue,
                            cuda.call<int(void*, std::size_t, std::size_t*, std::size_t*)>(
                                "cuFuncGetParamInfo", function, size, &offset, nullptr));
                  CUDA_STEP(18, kSuccess,
                            cuda.call<int(void*, std::size_t, std::size_t*, std::size_t*)>(
                                "cuFuncGetParamInfo", function, size - 1, &offset, nullptr));
                  CUDA_STEP(19, kInvalidValue, cuda.call<Count>(count, function, nullptr));
                  CUDA_STEP(20, kInvalidHandle, cuda.call<Count>(count, module, &size));
                }
                CUDA_STEP(12, kSuccess,
                          cuda.call<int(int*, void*, int, std::size_t)>("cuOccupancyMaxActiveBlocksPerMultiprocessor",
                                                                        &value, function, 256, 0));
                CUDA_STEP(13, 8, value);
                CUDA_STEP(14, kSuccess, cuda.call<int(void*)>("cuModuleUnload", module));
                CUDA_STEP(15, kInvalidHandle, launch(cuda, function, 1, 1, nullptr));
                return 0;
              }),
      "exit 0");
}

TEST(CudaModules, VariablesAreMemoryOfTheDevice) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      void* const context = cuda.context();
                      void* library = nullptr;
                      void* spin = nullptr;
                      const std::string text = ptx("diverge.ptx");
                      using LoadLibrary = int(void**, const void*, int*, void**, unsigned, int*, void**, unsigned);
                      CUDA_STEP(1, kSuccess,
                                cuda.call<LoadLibrary>("cuLibraryLoadData", &library, text.c_str(), nullptr, nullptr, 0,
                                                       nullptr, nullptr, 0));
                      CUDA_STEP(2, kSuccess, cuda.call<GetFunction>("cuLibraryGetKernel", &spin, library, "spin"));
                      CUDA_STEP(3, kSuccess, launch(cuda, spin, 3, 64, nullptr));
                      Pointer count = 0;
                      std::size_t bytes = 0;
                      CUDA_STEP(4, kSuccess,
                                cuda.call<int(Pointer*, std::size_t*, void*, const char*)>("cuLibraryGetGlobal", &count,
                                                                                           &bytes, library, "count"));
                      CUDA_STEP(5, std::size_t{4}, bytes);
                      unsigned value = 0;
                      CUDA_STEP(6, kSuccess, cuda.call<CopyFrom>("cuMemcpyDtoH_v2", &value, count, 4));
                      CUDA_STEP(7, 192u, value);
                      // A library is of no context.
                      CUDA_STEP(8, kSuccess, cuda.call<int(void*)>("cuCtxSetCurrent", nullptr));
                      CUDA_STEP(9, kSuccess, cuda.call<int(void*)>("cuLibraryUnload", library));
                      CUDA_STEP(10, kSuccess, cuda.call<int(void*)>("cuCtxSetCurrent", context));
                      CUDA_STEP(11, kInvalidValue, cuda.call<CopyFrom>("cuMemcpyDtoH_v2", &value, count, 4));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaModules, TheHeapOfMallocIsAsLargeAsTheContextSays) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      const std::string text =
                          ".version 7.8\n.target sm_70\n.address_size 64\n"
                          ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
                          ".visible .entry nothing() { ret; }\n";
                      using SetLimit = int(int, std::size_t);
                      constexpr int kHeap = 2;
                      void* module = nullptr;
                      CUDA_STEP(1, kSuccess, cuda.call<SetLimit>("cuCtxSetLimit", kHeap, std::size_t{64} << 20));
                      const std::size_t before = cuda.free_memory();
                      CUDA_STEP(2, kSuccess, cuda.call<LoadData>("cuModuleLoadData", &module, text.c_str()));
                      CUDA_STEP(3, true, before - cuda.free_memory() >= std::size_t{64} << 20);
                      CUDA_STEP(4, kSuccess, cuda.call<SetLimit>("cuCtxSetLimit", kHeap, ~std::size_t{0}));
                      CUDA_STEP(5, kOutOfMemory, cuda.call<LoadData>("cuModuleLoadData", &module, text.c_str()));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaModules, WhatAKernelDidWrongStaysWithItsContext) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      void* first = cuda.context();
                      void* wild = kernel(cuda, ptx("faults.ptx"), "wild");
                      if (wild == nullptr) return 1;
                      Pointer nowhere = 64;
                      void* parameters[] = {&nowhere};
                      CUDA_STEP(2, kSuccess, launch(cuda, wild, 1, 1, parameters));
                      constexpr int kIllegalAddress = 700;
                      CUDA_STEP(3, kIllegalAddress, cuda.call<int()>("cuCtxSynchronize"));
                      CUDA_STEP(4, Pointer{0}, cuda.allocate(16));
                      CUDA_STEP(5, kIllegalAddress, launch(cuda, wild, 1, 1, parameters));
                      CUDA_STEP(6, kSuccess, cuda.call<int(void*)>("cuCtxDestroy_v2", first));
                      cuda.context();
                      CUDA_STEP(7, kSuccess, cuda.call<int()>("cuCtxSynchronize"));
                      return cuda.allocate(16) != 0 ? 0 : 8;
                    }),
            "exit 0");
}

TEST(CudaModules, RefuseWhatTheyCannotRun) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      void* module = nullptr;
                      char log[256] = "";
                      int options[] = {5, 6};
                      void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
                      using LoadEx = int(void**, const void*, unsigned, int*, void**);
                      constexpr int kInvalidPtx = 218;
                      constexpr int kNoBinary = 209;
                      CUDA_STEP(1, kInvalidPtx,
                                cuda.call<LoadEx>("cuModuleLoadDataEx", &module, "no PTX", 2, options, values));
                      if (std::string(log).find("ptx:1:1") != 0) return 2;
                      CUDA_STEP(3, std::strlen(log), reinterpret_cast<std::size_t>(values[1]));
                      unsigned char cubin[64] = {0x7F, 'E', 'L', 'F', 2, 1, 1};
                      cubin[18] = 190;  // of a GPU
                      CUDA_STEP(4, kNoBinary, cuda.call<LoadData>("cuModuleLoadData", &module, cubin));
                      constexpr int kInvalidImage = 200;
                      cubin[18] = 62;
                      CUDA_STEP(10, kInvalidImage, cuda.call<LoadData>("cuModuleLoadData", &module, cubin));
                      constexpr int kUnsupportedPtx = 222;
                      CUDA_STEP(11, kUnsupportedPtx,
                                cuda.call<LoadData>("cuModuleLoadData", &module, ".version 8.8\n.target sm_80\n"));
                      CUDA_STEP(5, 301, cuda.call<LoadData>("cuModuleLoad", &module, "/nowhere"));
                      void* refused = kernel(cuda, ptx("faults.ptx"), "refused");
                      CUDA_STEP(6, kNotSupported, launch(cuda, refused, 1, 1, nullptr));
                      void* trapped = kernel(cuda, ptx("faults.ptx"), "trapped");
                      CUDA_STEP(7, kInvalidValue, launch(cuda, trapped, 0, 1, nullptr));
                      CUDA_STEP(8, kInvalidValue, launch(cuda, trapped, 1, 1025, nullptr));
                      CUDA_STEP(9, kSuccess, cuda.call<int()>("cuCtxSynchronize"));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaLibraries, TellManagedVariablesFromOthers) {
  const char* const text =
      ".version 8.0\n.target sm_60\n.address_size 64\n"
      ".visible .global .attribute(.managed) .align 8 .b8 shared[24];\n.visible .global .align 4 .u32 own = 7;\n";
  EXPECT_EQ(
      in_cuda(
          {},
          [text](const Cuda& cuda) {
            cuda.context();
            void* library = nullptr;
            using Load = int(void**, const char*, void*, void*, unsigned, void*, void*, unsigned);
            CUDA_STEP(1, kSuccess,
                      cuda.call<Load>("cuLibraryLoadData", &library, text, nullptr, nullptr, 0U, nullptr, nullptr, 0U));
            using Find = int(Pointer*, std::size_t*, void*, const char*);
            Pointer at[2] = {};
            std::size_t bytes = 0;
            CUDA_STEP(2, kSuccess, cuda.call<Find>("cuLibraryGetManaged", &at[0], &bytes, library, "shared"));
            CUDA_STEP(3, std::size_t{24}, bytes);
            CUDA_STEP(4, kSuccess, cuda.call<Find>("cuLibraryGetGlobal", &at[1], &bytes, library, "shared"));
            CUDA_STEP(5, at[0], at[1]);
            CUDA_STEP(6, 500, cuda.call<Find>("cuLibraryGetManaged", &at[0], &bytes, library, "own"));
            CUDA_STEP(7, kSuccess, cuda.call<Find>("cuLibraryGetGlobal", &at[0], &bytes, library, "own"));
            CUDA_STEP(8, kInvalidValue, cuda.call<Find>("cuLibraryGetManaged", nullptr, nullptr, library, "shared"));
            CUDA_STEP(9, kInvalidHandle, cuda.call<Find>("cuLibraryGetManaged", &at[0], &bytes, nullptr, "shared"));
            void* function = nullptr;
            using Unified = int(void**, void*, const char*);
            CUDA_STEP(10, 500, cuda.call<Unified>("cuLibraryGetUnifiedFunction", &function, library, "shared"));
            CUDA_STEP(11, kInvalidValue, cuda.call<Unified>("cuLibraryGetUnifiedFunction", nullptr, library, "shared"));
            return 0;
          }),
      "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
