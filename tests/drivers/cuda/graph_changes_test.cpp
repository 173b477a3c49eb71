// SPDX-License-Identifier: Apache-2.0
// Copies of nodes and their numbers; what an executable graph is told to leave out or to do instead.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/drivers/cuda/graph_bench.hpp"

namespace nvmlab::cuda_test {
namespace {

TEST(CudaGraphChanges, CopiesOfNodesAreFoundAndNumbered) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        Graph graph(bench);
        void* nodes[3] = {};
        for (void*& each : nodes)
          CUDA_STEP(1, kSuccess, graph.empty(&each));
        void* clone = nullptr;
        CUDA_STEP(2, kSuccess, cuda.call<int(void**, void*)>("cuGraphClone", &clone, graph.graph));
        using Find = int(void**, void*, void*);
        using Number = int(void*, unsigned*);
        void* found = nullptr;
        void* of = nullptr;
        unsigned graphs[3] = {};
        CUDA_STEP(3, kSuccess, cuda.call<Number>("cuGraphGetId", graph.graph, &graphs[0]));
        CUDA_STEP(4, kSuccess, cuda.call<Number>("cuGraphGetId", clone, &graphs[1]));
        CUDA_STEP(5, kSuccess, cuda.call<Number>("cuGraphExecGetId", graph.executable(), &graphs[2]));
        CUDA_STEP(6, true, graphs[0] != graphs[1] && graphs[1] != graphs[2] && graphs[0] != graphs[2]);
        for (unsigned i = 0; i < 3; ++i) {
          CUDA_STEP(7, kSuccess, cuda.call<Find>("cuGraphNodeFindInClone", &found, nodes[i], clone));
          unsigned local[2] = {9, 8};
          CUDA_STEP(8, kSuccess, cuda.call<Number>("cuGraphNodeGetLocalId", nodes[i], &local[0]));
          CUDA_STEP(9, kSuccess, cuda.call<Number>("cuGraphNodeGetLocalId", found, &local[1]));
          CUDA_STEP(10, true, local[0] == i && local[1] == i);
          CUDA_STEP(11, kSuccess, cuda.call<int(void*, void**)>("cuGraphNodeGetContainingGraph", found, &of));
          CUDA_STEP(12, clone, of);
          unsigned long long tools[2] = {};
          using Tools = int(void*, unsigned long long*);
          CUDA_STEP(13, kSuccess, cuda.call<Tools>("cuGraphNodeGetToolsId", found, &tools[0]));
          CUDA_STEP(14, kSuccess, cuda.call<Tools>("cuGraphNodeGetToolsId", nodes[i], &tools[1]));
          CUDA_STEP(15, true, tools[0] != tools[1]);
        }
        CUDA_STEP(16, kInvalidValue, cuda.call<Find>("cuGraphNodeFindInClone", &found, nodes[0], graph.graph));
        CUDA_STEP(17, kInvalidValue, cuda.call<Find>("cuGraphNodeFindInClone", nullptr, nodes[0], clone));
        CUDA_STEP(18, kSuccess, cuda.call<int(void*)>("cuGraphDestroyNode", found));
        CUDA_STEP(19, kInvalidValue, cuda.call<Find>("cuGraphNodeFindInClone", &found, nodes[2], clone));
        CUDA_STEP(20, kInvalidValue, cuda.call<Number>("cuGraphGetId", graph.graph, nullptr));
        CUDA_STEP(21, kInvalidValue, cuda.call<Number>("cuGraphExecGetId", graph.graph, &graphs[0]));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

// What is disabled is left out, keeps what it is told meanwhile, and stays so through an update.
TEST(CudaGraphChanges, NodesAreLeftOutOfLaunches) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        Graph graph(bench);
        Fill asked{bench.at(0), 0, 7, 4, 1, 1};
        Fill other{bench.at(1), 0, 8, 4, 1, 1};
        void* fill = nullptr;
        void* second = nullptr;
        void* empty = nullptr;
        CUDA_STEP(1, kSuccess, graph.fill(&fill, asked));
        CUDA_STEP(2, kSuccess, graph.fill(&second, other, fill));
        CUDA_STEP(3, kSuccess, graph.empty(&empty, second));
        void* made = graph.executable();
        using Set = int(void*, void*, unsigned);
        using Get = int(void*, void*, unsigned*);
        unsigned enabled = 7;
        CUDA_STEP(4, kSuccess, cuda.call<Get>("cuGraphNodeGetEnabled", made, fill, &enabled));
        CUDA_STEP(5, 1u, enabled);
        CUDA_STEP(6, kSuccess, cuda.call<Set>("cuGraphNodeSetEnabled", made, fill, 0u));
        CUDA_STEP(7, kInvalidValue, cuda.call<Set>("cuGraphNodeSetEnabled", made, empty, 0u));
        CUDA_STEP(8, kInvalidValue, cuda.call<Set>("cuGraphNodeSetEnabled", graph.graph, fill, 0u));
        CUDA_STEP(9, kInvalidValue, cuda.call<Get>("cuGraphNodeGetEnabled", made, fill, nullptr));
        CUDA_STEP(10, kSuccess, graph.run(made));
        CUDA_STEP(11, true, bench.read(0) == 0 && bench.read(1) == 8);
        int result = -1;
        void* wrong = nullptr;
        CUDA_STEP(12, kSuccess,
                  cuda.call<int(void*, void*, void**, int*)>("cuGraphExecUpdate", made, graph.graph, &wrong, &result));
        asked.value = 9;
        CUDA_STEP(13, kSuccess,
                  cuda.call<int(void*, void*, void*, void*)>("cuGraphExecMemsetNodeSetParams", made, fill,
                                                             static_cast<void*>(&asked), bench.context));
        CUDA_STEP(14, kSuccess, cuda.call<Get>("cuGraphNodeGetEnabled", made, fill, &enabled));
        CUDA_STEP(15, 0u, enabled);
        CUDA_STEP(16, kSuccess, graph.run(made));
        CUDA_STEP(17, 0u, bench.read(0));
        CUDA_STEP(18, kSuccess, cuda.call<Set>("cuGraphNodeSetEnabled", made, fill, 5u));
        CUDA_STEP(19, kSuccess, graph.run(made));
        CUDA_STEP(20, 9u, bench.read(0));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

TEST(CudaGraphChanges, AChildTakesTheWorkOfAGraphOfItsShape) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        const auto fills = [&](Graph& graph, unsigned value, bool joined) {
          Fill asked{bench.at(0), 0, value, 4, 1, 1};
          void* first = nullptr;
          void* second = nullptr;
          graph.fill(&first, asked);
          asked.to = bench.at(1);
          asked.value = value + 1;
          return graph.fill(&second, asked, joined ? first : nullptr);
        };
        Graph child(bench);
        Graph graph(bench);
        CUDA_STEP(1, kSuccess, fills(child, 10, true));
        Fill after{bench.at(2), 0, 3, 4, 1, 1};
        void* node = nullptr;
        void* fill = nullptr;
        CUDA_STEP(2, kSuccess,
                  cuda.call<int(void**, void*, void**, std::size_t, void*)>("cuGraphAddChildGraphNode", &node,
                                                                            graph.graph, nullptr, 0, child.graph));
        CUDA_STEP(3, kSuccess, graph.fill(&fill, after, node));
        void* made = graph.executable();
        Graph other(bench);
        CUDA_STEP(4, kSuccess, fills(other, 20, true));
        using Set = int(void*, void*, void*);
        CUDA_STEP(5, kSuccess, cuda.call<Set>("cuGraphExecChildGraphNodeSetParams", made, node, other.graph));
        CUDA_STEP(6, kSuccess, graph.run(made));
        CUDA_STEP(7, true, bench.read(0) == 20 && bench.read(1) == 21 && bench.read(2) == 3);
        Graph shape(bench);
        CUDA_STEP(8, kSuccess, fills(shape, 30, false));
        CUDA_STEP(9, kInvalidValue, cuda.call<Set>("cuGraphExecChildGraphNodeSetParams", made, node, shape.graph));
        CUDA_STEP(10, kInvalidValue, cuda.call<Set>("cuGraphExecChildGraphNodeSetParams", made, fill, other.graph));
        CUDA_STEP(11, kInvalidValue, cuda.call<Set>("cuGraphExecChildGraphNodeSetParams", made, node, nullptr));
        Parameters any;
        any.type = 4;
        std::memcpy(any.of, &child.graph, sizeof child.graph);
        CUDA_STEP(12, kSuccess, cuda.call<Set>("cuGraphExecNodeSetParams", made, node, static_cast<void*>(&any)));
        CUDA_STEP(13, kSuccess, graph.run(made));
        CUDA_STEP(14, true, bench.read(0) == 10 && bench.read(1) == 11);
        // The node is not changed: an update from its graph brings the first numbers again.
        CUDA_STEP(15, kSuccess, cuda.call<Set>("cuGraphExecChildGraphNodeSetParams", made, node, other.graph));
        int result = -1;
        void* wrong = nullptr;
        CUDA_STEP(16, kSuccess,
                  cuda.call<int(void*, void*, void**, int*)>("cuGraphExecUpdate", made, graph.graph, &wrong, &result));
        CUDA_STEP(17, kSuccess, graph.run(made));
        CUDA_STEP(18, 10u, bench.read(0));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
