// SPDX-License-Identifier: Apache-2.0
// What compiled programs do: they register images, kernels and variables, put a configuration aside and launch.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/drivers/cudart/program.hpp"

namespace nvmlab::cudart_test {
namespace {

// 0 where 100 elements came out as `expected`.
int run_kernel(const Cudart& runtime, const void* kernel, const char* launch, unsigned expected) {
  std::vector<unsigned> host(100, 1);
  unsigned count = 100;
  void* data = runtime.allocate(400);
  runtime.copy(data, host.data(), 400, kToDevice);
  void* arguments[] = {&data, &count};
  void* const stream = nullptr;
  const int code = runtime.call<Launch>(launch, kernel, Dim3{2, 1, 1}, Dim3{64, 1, 1}, arguments, 0UL, stream);
  if (code != kSuccess) return code;
  if (const int sync = runtime.call<int()>("cudaDeviceSynchronize"); sync != kSuccess) return sync;
  runtime.copy(host.data(), data, 400, kToHost);
  return host == std::vector<unsigned>(100, expected) ? 0 : 999;
}

class CudartRegistration : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Cudart, CudartRegistration, testing::Values(12, 13));

TEST_P(CudartRegistration, KernelsAndVariablesOnEachDevice) {
  EXPECT_EQ(in_runtime(GetParam(),
                       [](const Cudart& runtime) {
                         FatBinary binary(kProgram);
                         registered(runtime, binary);
                         void* kernel = nullptr;
                         CUDA_STEP(1, kSuccess,
                                   runtime.call<int(void**, const void*)>("__cudaGetKernel", &kernel, &host_kernel));
                         for (const int device : {0, 1, 0}) {
                           runtime.set_device(device);
                           CUDA_STEP(2, kSuccess, set_step(runtime, 5));
                           CUDA_STEP(3, 0, run_kernel(runtime, &host_kernel, "cudaLaunchKernel", 6));
                           // One handle is good for all devices.
                           CUDA_STEP(4, 0, run_kernel(runtime, kernel, "__cudaLaunchKernel", 6));
                         }
                         CUDA_STEP(5, kSuccess, runtime.call<int()>("cudaDeviceReset"));
                         CUDA_STEP(6, 0, run_kernel(runtime, kernel, "__cudaLaunchKernel_ptsz", 1));  // loaded anew
                         return 0;
                       }),
            "exit 0");
}

TEST_P(CudartRegistration, ThreadsOfTwoDevicesAtOnce) {
  EXPECT_EQ(in_runtime(GetParam(),
                       [](const Cudart& runtime) {
                         FatBinary binary(kProgram);
                         registered(runtime, binary);
                         constexpr int kThreads = 8;
                         int codes[kThreads];
                         std::vector<std::thread> threads;
                         for (int i = 0; i < kThreads; ++i) {
                           threads.emplace_back([&runtime, &code = codes[i], i] {
                             code = runtime.set_device(i % 2);
                             for (int turn = 0; turn < 10 && code == kSuccess; ++turn)
                               code = run_kernel(runtime, &host_kernel, "cudaLaunchKernel", 1);
                           });
                         }
                         for (std::thread& each : threads)
                           each.join();
                         for (const int code : codes)
                           CUDA_STEP(1, kSuccess, code);
                         return 0;
                       }),
            "exit 0");
}

TEST_P(CudartRegistration, SymbolsHaveAddressAndSize) {
  EXPECT_EQ(in_runtime(GetParam(),
                       [](const Cudart& runtime) {
                         FatBinary binary(kProgram);
                         void** const handle = registered(runtime, binary);
                         std::size_t size = 0;
                         void* address = nullptr;
                         using SizeOf = int(std::size_t*, const void*);
                         CUDA_STEP(1, kSuccess, runtime.call<SizeOf>("cudaGetSymbolSize", &size, &host_step));
                         CUDA_STEP(2, 4UL, size);
                         using AddressOf = int(void**, const void*);
                         CUDA_STEP(3, kInvalidSymbol, runtime.call<AddressOf>("cudaGetSymbolAddress", &address, &size));
                         CUDA_STEP(4, 1, runtime.call<char(void**)>("__cudaInitModule", handle));
                         CUDA_STEP(5, 7u, *host_shown);
                         CUDA_STEP(6, kSuccess, runtime.call<AddressOf>("cudaGetSymbolAddress", &address, host_shown));
                         CUDA_STEP(7, true, address == host_shown);
                         struct {
                           std::size_t shared, constant, local;
                           int threads, rest[64];
                         } facts{};
                         CUDA_STEP(8, kSuccess,
                                   runtime.call<int(void*, const void*)>("cudaFuncGetAttributes",
                                                                         static_cast<void*>(&facts), &host_kernel));
                         CUDA_STEP(9, 1024, facts.threads);
                         int blocks = 0;
                         using Occupancy = int(int*, const void*, int, std::size_t);
                         CUDA_STEP(10, kSuccess,
                                   runtime.call<Occupancy>("cudaOccupancyMaxActiveBlocksPerMultiprocessor", &blocks,
                                                           &host_kernel, 256, 0UL));
                         return blocks > 0 ? 0 : 11;
                       }),
            "exit 0");
}

TEST_P(CudartRegistration, HostileInputIsAnError) {
  EXPECT_EQ(in_runtime(GetParam(),
                       [](const Cudart& runtime) {
                         FatBinary binary(kProgram);
                         void** const handle = registered(runtime, binary);
                         void* none[] = {nullptr};
                         void* const stream = nullptr;
                         const auto launch = [&](const void* kernel, Dim3 grid, Dim3 block) {
                           return runtime.call<Launch>("cudaLaunchKernel", kernel, grid, block, none, 0UL, stream);
                         };
                         int stranger = 0;
                         CUDA_STEP(1, kInvalidDeviceFunction, launch(&stranger, {1, 1, 1}, {1, 1, 1}));
                         CUDA_STEP(2, kInvalidDeviceFunction, launch(nullptr, {1, 1, 1}, {1, 1, 1}));
                         CUDA_STEP(3, kInvalidDeviceFunction, launch(host_step, {1, 1, 1}, {1, 1, 1}));
                         CUDA_STEP(4, kInvalidConfiguration, launch(&host_kernel, {1, 1, 1}, {2048, 1, 1}));
                         CUDA_STEP(5, kInvalidConfiguration, launch(&host_kernel, {0, 1, 1}, {32, 1, 1}));
                         // Handles of nobody are passed over.
                         void** const wild = reinterpret_cast<void**>(handle + 1);
                         runtime.call<int(void**)>("__cudaUnregisterFatBinary", wild);
                         void** const null = nullptr;
                         runtime.call<int(void**)>("__cudaUnregisterFatBinary", null);
                         CUDA_STEP(6, 0, runtime.call<char(void**)>("__cudaInitModule", wild));
                         // A configuration that nobody put aside, and more than fit.
                         Dim3 grid{};
                         std::size_t shared = 0;
                         void* popped = nullptr;
                         using Pop = int(Dim3*, Dim3*, std::size_t*, void*);
                         using Push = unsigned(Dim3, Dim3, std::size_t, void*);
                         const auto pop = [&] {
                           return runtime.call<Pop>("__cudaPopCallConfiguration", &grid, &grid, &shared,
                                                    static_cast<void*>(&popped));
                         };
                         CUDA_STEP(7, kMissingConfiguration, pop());
                         unsigned pushed = 0;
                         while (pushed < 1000 && runtime.call<Push>("__cudaPushCallConfiguration", Dim3{1, 2, 3},
                                                                    Dim3{4, 5, 6}, 7UL, stream) == 0)
                           ++pushed;
                         CUDA_STEP(8, true, pushed > 0 && pushed < 1000);
                         CUDA_STEP(9, kSuccess, pop());
                         CUDA_STEP(10, true, grid.x == 4 && shared == 7);
                         // What has been unregistered is not found any more.
                         runtime.call<int(void**)>("__cudaUnregisterFatBinary", handle);
                         CUDA_STEP(11, kInvalidDeviceFunction, launch(&host_kernel, {1, 1, 1}, {1, 1, 1}));
                         return 0;
                       }),
            "exit 0");
}

// A broken context stays broken, and so does the last error.
TEST_P(CudartRegistration, WhatBreaksAContextStays) {
  EXPECT_EQ(
      in_runtime(GetParam(),
                 [](const Cudart& runtime) {
                   FatBinary binary(kProgram);
                   registered(runtime, binary);
                   void* none[] = {nullptr};
                   void* const stream = nullptr;
                   const void* const wild = &host_wild;
                   runtime.call<Launch>("cudaLaunchKernel", wild, Dim3{1, 1, 1}, Dim3{1, 1, 1}, none, 0UL, stream);
                   CUDA_STEP(1, kIllegalAddress, runtime.call<int()>("cudaDeviceSynchronize"));
                   CUDA_STEP(2, kIllegalAddress, runtime.last_error());
                   CUDA_STEP(3, kIllegalAddress, runtime.last_error());
                   CUDA_STEP(4, true, runtime.allocate(64) == nullptr);
                   return 0;
                 }),
      "exit 0");
}

TEST_P(CudartRegistration, DamagedImagesAreErrors) {
  for (const std::size_t at : {0U, 8U, 16U, 20U, 24U, 70U}) {
    EXPECT_NE(in_runtime(GetParam(),
                         [at](const Cudart& runtime) {
                           FatBinary binary(kProgram);
                           binary.bytes()[at] = '\x7f';
                           registered(runtime, binary);
                           return run_kernel(runtime, &host_kernel, "cudaLaunchKernel", 1) == kSuccess ? 1 : 0;
                         })
                  .find("exit"),
              std::string::npos)
        << at;
  }
  EXPECT_EQ(in_runtime(GetParam(),
                       [](const Cudart& runtime) {
                         FatBinary binary(kProgram);
                         binary.bytes()[16] = 2;  // a cubin alone
                         registered(runtime, binary);
                         return run_kernel(runtime, &host_kernel, "cudaLaunchKernel", 1) == kNoKernelImage ? 0 : 1;
                       }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cudart_test
