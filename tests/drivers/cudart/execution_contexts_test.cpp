// SPDX-License-Identifier: Apache-2.0
// Parts of a device through libcudart: execution contexts, their streams and events; and how many clusters a kernel
// has.
#include <gtest/gtest.h>

#include "tests/drivers/cuda/resources.hpp"
#include "tests/drivers/cudart/described_graph.hpp"

namespace nvmlab::cudart_test {
namespace {

using cuda_test::Resource;

const std::map<std::string, std::string> kNewest = {{"NVMLAB_PROFILE", "dgx-h100"}, {"NVMLAB_DRIVER", "615"}};

TEST(CudartExecution, AContextHasAPartOfTheDevice) {
  EXPECT_EQ(
      in_runtime(
          13,
          [](const Cudart& runtime) {
            Resource all;
            Resource part;
            unsigned groups = 1;
            void* descriptor = nullptr;
            void* context = nullptr;
            CUDA_STEP(1, kSuccess, runtime.call<int(int, Resource*, int)>("cudaDeviceGetDevResource", 0, &all, 1));
            CUDA_STEP(2, kSuccess,
                      runtime.call<cuda_test::SplitEvenly>("cudaDevSmResourceSplitByCount", &part, &groups, &all,
                                                           nullptr, 0U, 16U));
            CUDA_STEP(3, kSuccess,
                      runtime.call<cuda_test::Describe>("cudaDevResourceGenerateDesc", &descriptor, &part, 1U));
            const auto create = [&](void** out, int device, unsigned flags) {
              return runtime.call<cuda_test::CreateGreen>("cudaGreenCtxCreate", out, descriptor, device, flags);
            };
            CUDA_STEP(4, kInvalidValue, create(&context, 0, 1));
            CUDA_STEP(5, kInvalidValue, create(nullptr, 0, 0));
            CUDA_STEP(6, 101, create(&context, 99, 0));
            CUDA_STEP(7, kSuccess, create(&context, 0, 0));
            int device = -1;
            CUDA_STEP(8, kSuccess, runtime.call<int(int*, void*)>("cudaExecutionCtxGetDevice", &device, context));
            CUDA_STEP(9, 0, device);
            Resource seen;
            using OfHandle = int(void*, Resource*, int);
            CUDA_STEP(10, kSuccess, runtime.call<OfHandle>("cudaExecutionCtxGetDevResource", context, &seen, 1));
            CUDA_STEP(11, 16U, seen.count);
            void* stream = nullptr;
            CUDA_STEP(12, kSuccess,
                      runtime.call<int(void**, void*, unsigned, int)>("cudaExecutionCtxStreamCreate", &stream, context,
                                                                      1U, 0));
            CUDA_STEP(13, kSuccess, runtime.call<OfHandle>("cudaStreamGetDevResource", stream, &seen, 1));
            CUDA_STEP(14, 16U, seen.count);
            void* memory = runtime.allocate(4);
            using Fill = int(void*, int, std::size_t, void*);
            CUDA_STEP(15, kSuccess, runtime.call<Fill>("cudaMemsetAsync", memory, 7, 4UL, stream));
            void* event = nullptr;
            CUDA_STEP(16, kSuccess, runtime.call<int(void**)>("cudaEventCreate", &event));
            using Pair = int(void*, void*);
            CUDA_STEP(17, kSuccess, runtime.call<Pair>("cudaExecutionCtxRecordEvent", context, event));
            CUDA_STEP(18, kSuccess, runtime.call<int(void*)>("cudaExecutionCtxSynchronize", context));
            CUDA_STEP(19, kSuccess, runtime.call<int(void*)>("cudaEventQuery", event));
            CUDA_STEP(20, kSuccess, runtime.call<Pair>("cudaExecutionCtxWaitEvent", context, event));
            unsigned value = 0;
            CUDA_STEP(21, kSuccess, runtime.copy(&value, memory, 4, kToHost));
            CUDA_STEP(22, 0x07070707U, value);
            void* graph = nullptr;
            unsigned long long condition = 0;
            CUDA_STEP(27, kSuccess, runtime.call<int(void**, unsigned)>("cudaGraphCreate", &graph, 0U));
            using Condition = int(unsigned long long*, void*, void*, unsigned, unsigned);
            for (void* const each : {context, static_cast<void*>(nullptr)})
              CUDA_STEP(
                  28, kSuccess,
                  runtime.call<Condition>("cudaGraphConditionalHandleCreate_v2", &condition, graph, each, 1U, 1U));
            CUDA_STEP(29, true, condition != 0);
            CUDA_STEP(30, false,
                      runtime.call<Condition>("cudaGraphConditionalHandleCreate_v2", &condition, graph, memory, 1U,
                                              1U) == kSuccess);
            unsigned long long id = 0;
            CUDA_STEP(23, kSuccess,
                      runtime.call<int(void*, unsigned long long*)>("cudaExecutionCtxGetId", context, &id));
            CUDA_STEP(24, kSuccess, runtime.call<int(void*)>("cudaExecutionCtxDestroy", context));
            for (void* gone : {context, static_cast<void*>(nullptr), memory})
              CUDA_STEP(25, false, runtime.call<int(void*)>("cudaExecutionCtxSynchronize", gone) == kSuccess);
            CUDA_STEP(26, kInvalidValue, runtime.call<int(int*, void*)>("cudaExecutionCtxGetDevice", nullptr, context));
            return 0;
          },
          kNewest),
      "exit 0");
}

TEST(CudartExecution, ClustersAreCounted) {
  for (const int major : {12, 13}) {
    EXPECT_EQ(
        in_runtime(
            major,
            [](const Cudart& runtime) {
              const Graph program(runtime);
              struct {
                Dim3 grid{4, 1, 1}, block{64, 1, 1};
                std::size_t shared = 0;
                void* stream = nullptr;
                void* attributes = nullptr;
                unsigned count = 0;
              } config;
              using Ask = int(int*, const void*, const void*);
              int number = 0;
              int blocks = 0;
              int processors = 0;
              const void* const at = &config;
              const void* const kernel = &host_kernel;
              CUDA_STEP(1, kSuccess, runtime.call<Ask>("cudaOccupancyMaxPotentialClusterSize", &number, kernel, at));
              CUDA_STEP(2, 8, number);
              CUDA_STEP(3, kSuccess, runtime.call<Ask>("cudaOccupancyMaxActiveClusters", &number, kernel, at));
              CUDA_STEP(4, kSuccess,
                        runtime.call<int(int*, const void*, int, std::size_t)>(
                            "cudaOccupancyMaxActiveBlocksPerMultiprocessor", &blocks, kernel, 64, 0UL));
              CUDA_STEP(5, kSuccess, runtime.call<int(int*, int, int)>("cudaDeviceGetAttribute", &processors, 16, 0));
              CUDA_STEP(6, blocks * processors, number);
              for (const char* name : {"cudaOccupancyMaxActiveClusters", "cudaOccupancyMaxPotentialClusterSize"}) {
                CUDA_STEP(7, kInvalidValue, runtime.call<Ask>(name, &number, kernel, nullptr));
                CUDA_STEP(8, kInvalidDeviceFunction, runtime.call<Ask>(name, &number, &number, at));
              }
              return 0;
            },
            {{"NVMLAB_PROFILE", "dgx-h100"}}),
        "exit 0");
  }
}

}  // namespace
}  // namespace nvmlab::cudart_test
