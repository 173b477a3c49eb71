// SPDX-License-Identifier: Apache-2.0
// Edges with data: what may have it, where it is kept and how it is told.
#include <gtest/gtest.h>

#include "tests/drivers/cuda/graph_bench.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr int kLossyQuery = 402;

TEST(CudaGraphEdges, EdgesHaveData) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        Sum sum(bench);
        Graph graph(bench);
        KernelNode asked = sum.node();
        void* first = nullptr;
        void* second = nullptr;
        void* empty = nullptr;
        CUDA_STEP(1, kSuccess, graph.kernel(&first, asked));
        CUDA_STEP(2, kSuccess, graph.kernel(&second, asked));
        CUDA_STEP(3, kSuccess, graph.empty(&empty));
        using Change = int(void*, void**, void**, const EdgeData*, std::size_t);
        const auto change = [&](const char* name, void* from, void* to, const EdgeData* data) {
          return cuda.call<Change>(name, graph.graph, &from, &to, data, 1);
        };
        const EdgeData early{1, 0, 1, {}};
        for (const EdgeData wrong : {EdgeData{0, 1, 0, {}}, EdgeData{3, 0, 0, {}}, EdgeData{0, 0, 1, {}},
                                     EdgeData{0, 0, 2, {}}, EdgeData{0, 0, 0, {0, 0, 0, 0, 1}}})
          CUDA_STEP(4, kInvalidValue, change("cuGraphAddDependencies_v2", first, second, &wrong));
        CUDA_STEP(5, kInvalidValue, change("cuGraphAddDependencies_v2", empty, second, &early));
        CUDA_STEP(6, kInvalidValue, change("cuGraphAddDependencies_v2", first, empty, &early));
        CUDA_STEP(7, kSuccess, change("cuGraphAddDependencies_v2", first, second, &early));
        CUDA_STEP(8, kInvalidValue, change("cuGraphAddDependencies_v2", first, second, nullptr));
        CUDA_STEP(9, kSuccess, change("cuGraphAddDependencies_v2", second, empty, nullptr));
        std::size_t count = 4;
        void* from[4] = {};
        void* to[4] = {empty, empty, empty, empty};
        EdgeData data[4];
        CUDA_STEP(
            10, kLossyQuery,
            cuda.call<int(void*, void**, void**, std::size_t*)>("cuGraphGetEdges", graph.graph, from, to, &count));
        CUDA_STEP(11, true, from[0] == nullptr && count == 4);
        using Edges = int(void*, void**, void**, EdgeData*, std::size_t*);
        CUDA_STEP(12, kLossyQuery, cuda.call<Edges>("cuGraphGetEdges_v2", graph.graph, from, to, nullptr, &count));
        CUDA_STEP(13, kInvalidValue,
                  cuda.call<Edges>("cuGraphGetEdges_v2", graph.graph, nullptr, nullptr, data, &count));
        CUDA_STEP(14, kSuccess, cuda.call<Edges>("cuGraphGetEdges_v2", graph.graph, from, to, data, &count));
        CUDA_STEP(15, true, count == 2 && from[0] == first && to[0] == second && data[0].type == 1);
        CUDA_STEP(16, true, from[1] == second && to[1] == empty && data[1].type == 0 && to[2] == nullptr);
        using Near = int(void*, void**, EdgeData*, std::size_t*);
        count = 1;
        CUDA_STEP(17, kLossyQuery, cuda.call<Near>("cuGraphNodeGetDependencies_v2", second, from, nullptr, &count));
        CUDA_STEP(18, kSuccess, cuda.call<Near>("cuGraphNodeGetDependencies_v2", second, nullptr, nullptr, &count));
        CUDA_STEP(19, 1u, count);
        CUDA_STEP(20, kSuccess, cuda.call<Near>("cuGraphNodeGetDependentNodes_v2", first, from, data, &count));
        CUDA_STEP(21, true, from[0] == second && data[0].from_port == 1);
        // A copy has the same data; an edge goes by its data.
        void* clone = nullptr;
        CUDA_STEP(22, kSuccess, cuda.call<int(void**, void*)>("cuGraphClone", &clone, graph.graph));
        count = 4;
        CUDA_STEP(23, kSuccess, cuda.call<Edges>("cuGraphGetEdges_v2", clone, from, to, data, &count));
        CUDA_STEP(24, true, count == 2 && data[0].type == 1);
        CUDA_STEP(25, kSuccess, graph.run(graph.executable()));
        CUDA_STEP(26, kInvalidValue, change("cuGraphRemoveDependencies_v2", first, second, nullptr));
        CUDA_STEP(27, kSuccess, change("cuGraphRemoveDependencies_v2", first, second, &early));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

// Captured behind an edge with data, which a question without room for it does not hide.
TEST(CudaGraphEdges, CapturesKeepTheDataOfEdges) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        Sum sum(bench);
        Graph graph(bench);
        KernelNode asked = sum.node();
        void* first = nullptr;
        CUDA_STEP(1, kSuccess, graph.kernel(&first, asked));
        const EdgeData early{1, 0, 1, {}};
        void* stream = bench.stream(kNonBlocking);
        CUDA_STEP(2, kSuccess,
                  cuda.call<int(void*, void*, void**, const EdgeData*, std::size_t, int)>(
                      "cuStreamBeginCaptureToGraph", stream, graph.graph, &first, &early, 1, 0));
        int status = 0;
        void* const* before = nullptr;
        const EdgeData* data = nullptr;
        std::size_t count = 0;
        using Old = int(void*, int*, void*, void*, void* const**, std::size_t*);
        using Info = int(void*, int*, void*, void*, void* const**, const EdgeData**, std::size_t*);
        CUDA_STEP(3, kLossyQuery,
                  cuda.call<Old>("cuStreamGetCaptureInfo_v2", stream, &status, nullptr, nullptr, &before, &count));
        CUDA_STEP(
            4, kSuccess,
            cuda.call<Info>("cuStreamGetCaptureInfo_v3", stream, &status, nullptr, nullptr, &before, &data, &count));
        CUDA_STEP(5, true, count == 1 && before[0] == first && data[0].type == 1);
        CUDA_STEP(6, kSuccess, launch(cuda, sum.function, 1, kCount, sum.parameters, nullptr, stream));
        CUDA_STEP(
            7, kSuccess,
            cuda.call<Info>("cuStreamGetCaptureInfo_v3", stream, &status, nullptr, nullptr, &before, &data, &count));
        CUDA_STEP(8, true, count == 1 && before[0] != first && data[0].type == 0);
        CUDA_STEP(9, kSuccess, cuda.call<int(void*, void**)>("cuStreamEndCapture", stream, nullptr));
        EdgeData seen;
        void* after = nullptr;
        count = 1;
        CUDA_STEP(10, kSuccess,
                  cuda.call<int(void*, void**, EdgeData*, std::size_t*)>("cuGraphNodeGetDependentNodes_v2", first,
                                                                         &after, &seen, &count));
        CUDA_STEP(11, 1, seen.type);
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
