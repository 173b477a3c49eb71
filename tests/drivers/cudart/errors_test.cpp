// SPDX-License-Identifier: Apache-2.0
// Errors of libcudart: each thread has its last one, names and texts, what is refused.
#include <gtest/gtest.h>

#include <thread>

#include "tests/drivers/cudart/cudart.hpp"

namespace nvmlab::cudart_test {
namespace {

TEST(CudartErrors, EachThreadHasItsLastOne) {
  EXPECT_EQ(in_runtime(12,
                       [](const Cudart& runtime) {
                         CUDA_STEP(1, kInvalidDevice, runtime.set_device(99));
                         int other = -1;
                         std::thread([&] { other = runtime.last_error(); }).join();
                         CUDA_STEP(2, kSuccess, other);
                         CUDA_STEP(3, kSuccess, runtime.set_device(0));  // a call that goes well leaves it
                         CUDA_STEP(4, kInvalidDevice, runtime.call<int()>("cudaPeekAtLastError"));
                         CUDA_STEP(5, kInvalidDevice, runtime.last_error());
                         CUDA_STEP(6, kSuccess, runtime.last_error());
                         return 0;
                       }),
            "exit 0");
}

TEST(CudartErrors, HaveNamesAndTexts) {
  const Cudart runtime(13);
  ASSERT_TRUE(runtime.open());
  const auto name = [&](int code) { return std::string(runtime.call<const char*(int)>("cudaGetErrorName", code)); };
  const auto text = [&](int code) { return std::string(runtime.call<const char*(int)>("cudaGetErrorString", code)); };
  EXPECT_EQ(name(0), "cudaSuccess");
  EXPECT_EQ(name(kIllegalAddress), "cudaErrorIllegalAddress");
  EXPECT_EQ(text(kNoDevice), "no CUDA-capable device is detected");
  EXPECT_EQ(text(kInsufficientDriver), "CUDA driver version is insufficient for CUDA runtime version");
  EXPECT_EQ(name(123456), "unrecognized error code");
  EXPECT_EQ(text(-1), "unrecognized error code");
}

TEST(CudartErrors, WhatIsNotSimulatedSaysSo) {
  EXPECT_EQ(in_runtime(13,
                       [](const Cudart& runtime) {
                         CUDA_STEP(1, kNotSupported, runtime.call<int()>("cudaImportExternalMemory"));
                         CUDA_STEP(2, kNotSupported, runtime.last_error());
                         // No table of NVIDIA's is handed out.
                         const void* table = &runtime;
                         const unsigned char id[16] = {};
                         CUDA_STEP(3, kInvalidValue,
                                   runtime.call<int(const void**, const void*)>("cudaGetExportTable", &table, &id));
                         return table == nullptr ? 0 : 4;
                       }),
            "exit 0");
}

TEST(CudartErrors, FunctionsOfTheDriverAreFound) {
  EXPECT_EQ(in_runtime(12,
                       [](const Cudart& runtime) {
                         using Find = int(const char*, void**, unsigned long long, int*);
                         void* found = nullptr;
                         int status = -1;
                         CUDA_STEP(1, kSuccess,
                                   runtime.call<Find>("cudaGetDriverEntryPoint", "cuMemAlloc", &found, 0ULL, &status));
                         CUDA_STEP(2, true, found != nullptr && status == 0);
                         CUDA_STEP(3, kSuccess,
                                   runtime.call<Find>("cudaGetDriverEntryPoint", "cuNever", &found, 0ULL, &status));
                         CUDA_STEP(4, true, found == nullptr && status == 1);
                         int* const nobody = nullptr;
                         CUDA_STEP(5, kSymbolNotFound,
                                   runtime.call<Find>("cudaGetDriverEntryPoint", "cuNever", &found, 0ULL, nobody));
                         return 0;
                       }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cudart_test
