// SPDX-License-Identifier: Apache-2.0
// Batches of copies through libcudart.
#include <gtest/gtest.h>

#include <vector>

#include "tests/drivers/cudart/cudart.hpp"

namespace nvmlab::cudart_test {
namespace {

struct Attributes {
  int order;
  int hints[4];
  unsigned flags;
};
using Older = int(void**, const void**, std::size_t*, std::size_t, const Attributes*, std::size_t*, std::size_t,
                  std::size_t*, void*);
using Newer = int(void**, const void**, std::size_t*, std::size_t, const Attributes*, std::size_t*, std::size_t, void*);

// Three copies of 16 bytes to the device.
struct Batch {
  explicit Batch(const Cudart& runtime) {
    runtime.call<int(void**)>("cudaStreamCreate", &stream);  // the legacy one takes no batches
    for (int i = 0; i < 3; ++i) {
      values[i] = {i, i + 1, i + 2, i + 3};
      to[i] = runtime.allocate(16);
      from[i] = values[i].data();
    }
  }
  int run(const Cudart& runtime, const Attributes* attributes, std::vector<std::size_t> begins, std::size_t count = 3) {
    if (runtime.address("cudaGreenCtxCreate") != nullptr)  // CUDA 13
      return runtime.call<Newer>("cudaMemcpyBatchAsync", to, from, sizes, count, attributes, begins.data(),
                                 begins.size(), stream);
    return runtime.call<Older>("cudaMemcpyBatchAsync", to, from, sizes, count, attributes, begins.data(), begins.size(),
                               &failed, stream);
  }
  bool arrived(const Cudart& runtime, int which) const {
    std::vector<int> back(4);
    return runtime.copy(back.data(), to[which], 16, kToHost) == kSuccess && back == values[which];
  }

  void* stream = nullptr;
  std::vector<int> values[3];
  void* to[3];
  const void* from[3];
  std::size_t sizes[3] = {16, 16, 16};
  std::size_t failed = 77;
};

class CudartBatches : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Cudart, CudartBatches, testing::Values(12, 13));

TEST_P(CudartBatches, AreCopied) {
  EXPECT_EQ(in_runtime(GetParam(),
                       [](const Cudart& runtime) {
                         Batch batch(runtime);
                         const Attributes both[] = {{1, {}, 0}, {2, {}, 0}};
                         CUDA_STEP(1, kSuccess, batch.run(runtime, both, {0, 2}));
                         CUDA_STEP(2, true,
                                   batch.arrived(runtime, 0) && batch.arrived(runtime, 1) && batch.arrived(runtime, 2));
                         if (GetParam() == 12) return 0;
                         using One = int(void*, const void*, std::size_t, const Attributes*, void*);
                         CUDA_STEP(3, kSuccess,
                                   runtime.call<One>("cudaMemcpyWithAttributesAsync", batch.to[0], batch.from[2], 16UL,
                                                     both, batch.stream));
                         CUDA_STEP(4, kSuccess, runtime.call<int()>("cudaDeviceSynchronize"));
                         CUDA_STEP(5, false, batch.arrived(runtime, 0));
                         return 0;
                       }),
            "exit 0");
}

TEST_P(CudartBatches, HostileInputIsAnError) {
  EXPECT_EQ(in_runtime(GetParam(),
                       [](const Cudart& runtime) {
                         Batch batch(runtime);
                         const Attributes good[] = {{3, {}, 0}, {3, {}, 0}};
                         const Attributes wrong[] = {{9, {}, 0}};
                         CUDA_STEP(1, kInvalidValue, batch.run(runtime, wrong, {0}));
                         CUDA_STEP(2, kInvalidValue, batch.run(runtime, nullptr, {0}));
                         CUDA_STEP(3, kInvalidValue, batch.run(runtime, good, {1}));
                         CUDA_STEP(4, kInvalidValue, batch.run(runtime, good, {0, 0}));
                         CUDA_STEP(5, kInvalidValue, batch.run(runtime, good, {0, 3}));
                         CUDA_STEP(6, kInvalidValue, batch.run(runtime, good, {}));
                         CUDA_STEP(7, kInvalidValue, batch.run(runtime, good, {0}, 0));
                         batch.sizes[1] = 1UL << 40;
                         CUDA_STEP(8, kInvalidValue, batch.run(runtime, good, {0}));
                         CUDA_STEP(9, true, GetParam() == 13 || batch.failed == 1);
                         return 0;
                       }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cudart_test
