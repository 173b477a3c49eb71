// SPDX-License-Identifier: Apache-2.0
// User objects: counted, and held by graphs.
#include <gtest/gtest.h>

#include "tests/drivers/cuda/stream_bench.hpp"

namespace nvmlab::cuda_test {
namespace {

void* graph_of(const Cuda& cuda) {
  void* made = nullptr;
  cuda.call<int(void**, unsigned)>("cuGraphCreate", &made, 0u);
  return made;
}

TEST(CudaUserObjects, LiveAsLongAsTheirGraphs) {
  const auto work = [](const StreamBench& bench) {
    const Cuda& cuda = bench.cuda;
    static int destroyed = 0;
    destroyed = 0;
    const auto destroy = [](void* data) { destroyed += *static_cast<int*>(data); };
    using Create = int(void**, void*, HostFunction, unsigned, unsigned);
    int weight = 1;
    void* object = nullptr;
    void* const data = &weight;
    CUDA_STEP(1, kInvalidValue, cuda.call<Create>("cuUserObjectCreate", &object, data, destroy, 1u, 0u));
    CUDA_STEP(2, kSuccess, cuda.call<Create>("cuUserObjectCreate", &object, data, destroy, 2u, 1u));
    using Hold = int(void*, void*, unsigned, unsigned);
    using Count = int(void*, unsigned);
    void* const graph = graph_of(cuda);
    CUDA_STEP(3, kSuccess, cuda.call<Hold>("cuGraphRetainUserObject", graph, object, 1u, 1u));
    CUDA_STEP(4, kInvalidValue, cuda.call<Count>("cuUserObjectRelease", object, 3u));
    CUDA_STEP(5, kSuccess, cuda.call<Count>("cuUserObjectRelease", object, 1u));
    void* made = nullptr;
    CUDA_STEP(18, kSuccess,
              cuda.call<int(void**, void*, unsigned long long)>("cuGraphInstantiateWithFlags", &made, graph, 0ULL));
    CUDA_STEP(6, kSuccess, cuda.call<int(void*)>("cuGraphDestroy", graph));
    CUDA_STEP(7, 0, destroyed);
    CUDA_STEP(8, kSuccess, cuda.call<int(void*)>("cuGraphExecDestroy", made));
    CUDA_STEP(9, 1, destroyed);
    CUDA_STEP(10, kInvalidValue, cuda.call<Count>("cuUserObjectRetain", object, 1u));
    // A handle of another kind is none of these.
    CUDA_STEP(11, kInvalidValue, cuda.call<Count>("cuUserObjectRetain", bench.event(), 1u));
    CUDA_STEP(12, kSuccess, cuda.call<Create>("cuUserObjectCreate", &object, data, destroy, 1u, 1u));
    CUDA_STEP(13, kInvalidHandle, cuda.call<int(void*)>("cuEventQuery", object));
    void* const other = graph_of(cuda);
    CUDA_STEP(14, kSuccess, cuda.call<Hold>("cuGraphRetainUserObject", other, object, 2u, 0u));
    CUDA_STEP(15, kSuccess, cuda.call<int(void*, void*, unsigned)>("cuGraphReleaseUserObject", other, object, 2u));
    CUDA_STEP(16, kSuccess, cuda.call<Count>("cuUserObjectRelease", object, 1u));
    CUDA_STEP(17, 2, destroyed);
    return 0;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
