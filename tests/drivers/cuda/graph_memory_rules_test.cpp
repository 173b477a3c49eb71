// SPDX-License-Identifier: Apache-2.0
// What graphs that allocate memory are not asked for, and what is no memory of a graph.
#include <gtest/gtest.h>

#include "tests/drivers/cuda/graph_bench.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr int kUpdateFailure = 910;

TEST(CudaGraphMemoryRules, GraphsThatHaveItAreNotTakenApart) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        MemoryGraph graph(bench);
        AskedMemory asked;
        void* node[3] = {};
        CUDA_STEP(1, kSuccess, graph.allocation(&node[0], asked));
        CUDA_STEP(2, kSuccess, graph.empty(&node[1], node[0]));
        CUDA_STEP(3, kSuccess, graph.release(&node[2], asked.address, node[1]));
        CUDA_STEP(4, kInvalidValue, cuda.call<int(void*)>("cuGraphDestroyNode", node[1]));
        using Edge = int(void*, void**, void**, std::size_t);
        CUDA_STEP(5, kInvalidValue,
                  cuda.call<Edge>("cuGraphRemoveDependencies", graph.graph, &node[0], &node[1], std::size_t{1}));
        void* made = nullptr;
        CUDA_STEP(6, kInvalidValue, cuda.call<int(void**, void*)>("cuGraphClone", &made, graph.graph));
        MemoryGraph parent(bench);
        void* child = nullptr;
        CUDA_STEP(7, kInvalidValue,
                  cuda.call<AddEvent>("cuGraphAddChildGraphNode", &child, parent.graph, nullptr, 0, graph.graph));
        CUDA_STEP(8, kSuccess, graph.instantiate(&made));
        void* second = nullptr;
        CUDA_STEP(9, kInvalidValue, graph.instantiate(&second));
        CUDA_STEP(10, kSuccess, cuda.call<int(void*)>("cuGraphExecDestroy", made));
        CUDA_STEP(11, kSuccess, graph.instantiate(&made));
        Parameters parameters;
        parameters.type = 10;
        CUDA_STEP(12, kNotSupported, cuda.call<Ask>("cuGraphNodeSetParams", node[0], static_cast<void*>(&parameters)));
        // Moved into another graph it can be a child, and is no graph of its own any more.
        struct {
          int type = 4;
          int reserved[3] = {};
          void* graph = nullptr;
          int ownership = 1;
          unsigned char rest[228] = {};
        } moved;
        moved.graph = graph.graph;
        using Any = int(void**, void*, void**, std::size_t, void*);
        CUDA_STEP(13, kInvalidValue,
                  cuda.call<Any>("cuGraphAddNode", &child, parent.graph, nullptr, 0, static_cast<void*>(&moved)));
        CUDA_STEP(14, kSuccess, cuda.call<int(void*)>("cuGraphExecDestroy", made));
        CUDA_STEP(15, kInvalidValue,
                  cuda.call<Any>("cuGraphAddNode", &child, graph.graph, nullptr, 0, static_cast<void*>(&moved)));
        CUDA_STEP(16, kSuccess,
                  cuda.call<Any>("cuGraphAddNode", &child, parent.graph, nullptr, 0, static_cast<void*>(&moved)));
        CUDA_STEP(17, true, moved.graph == graph.graph);
        CUDA_STEP(18, kInvalidValue, graph.instantiate(&made));
        CUDA_STEP(19, kInvalidValue, cuda.call<int(void*)>("cuGraphDestroy", graph.graph));
        CUDA_STEP(20, kInvalidValue, graph.allocation(&node[1], asked));
        CUDA_STEP(21, kInvalidValue, cuda.call<int(void*)>("cuGraphDestroyNode", child));
        CUDA_STEP(22, kSuccess, parent.instantiate(&made));
        CUDA_STEP(23, kInvalidValue, parent.instantiate(&second));
        CUDA_STEP(24, kSuccess, parent.run(made));
        UpdateResult result;
        CUDA_STEP(25, kSuccess,
                  cuda.call<int(void*, void*, void*)>("cuGraphExecUpdate_v2", made, parent.graph,
                                                      static_cast<void*>(&result)));
        MemoryGraph same(bench);
        MemoryGraph inner(bench);
        CUDA_STEP(26, kSuccess, inner.allocation(&node[0], asked));
        CUDA_STEP(27, kSuccess, inner.empty(&node[1], node[0]));
        CUDA_STEP(28, kSuccess, inner.release(&node[2], asked.address, node[1]));
        moved.graph = inner.graph;
        CUDA_STEP(29, kSuccess,
                  cuda.call<Any>("cuGraphAddNode", &child, same.graph, nullptr, 0, static_cast<void*>(&moved)));
        CUDA_STEP(
            30, kUpdateFailure,
            cuda.call<int(void*, void*, void*)>("cuGraphExecUpdate_v2", made, same.graph, static_cast<void*>(&result)));
        CUDA_STEP(31, 5, result.result);
        CUDA_STEP(32, kSuccess, cuda.call<int(void*)>("cuGraphDestroy", parent.graph));
        CUDA_STEP(33, kSuccess, parent.run(made));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

TEST(CudaGraphMemoryRules, WrongQuestionsAreRefused) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        MemoryGraph graph(bench);
        void* node = nullptr;
        const auto refuse = [&](auto change) {
          AskedMemory asked;
          change(asked);
          return graph.allocation(&node, asked);
        };
        CUDA_STEP(1, kInvalidValue, refuse([](AskedMemory& asked) { asked.bytes = 0; }));
        CUDA_STEP(2, kInvalidValue, refuse([](AskedMemory& asked) { asked.type = 0; }));
        CUDA_STEP(3, kNotSupported, refuse([](AskedMemory& asked) { asked.location_type = 2; }));
        CUDA_STEP(4, kNotSupported, refuse([](AskedMemory& asked) { asked.handles = 1; }));
        CUDA_STEP(5, kInvalidDevice, refuse([](AskedMemory& asked) { asked.device = -1; }));
        CUDA_STEP(6, kOutOfMemory, refuse([](AskedMemory& asked) { asked.bytes = ~std::size_t{0}; }));
        CUDA_STEP(7, kInvalidValue, refuse([](AskedMemory& asked) { asked.accesses = 1; }));
        CUDA_STEP(8, kInvalidValue, refuse([](AskedMemory& asked) { asked.accesses = std::size_t{1} << 60; }));
        const Access elsewhere{1, 1000, 3};
        CUDA_STEP(9, kInvalidDevice, refuse([&](AskedMemory& asked) {
                    asked.access = &elsewhere;
                    asked.accesses = 1;
                  }));
        CUDA_STEP(10, kInvalidValue,
                  cuda.call<AddEvent>("cuGraphAddMemAllocNode", &node, graph.graph, nullptr, 0, nullptr));
        AskedMemory asked;
        CUDA_STEP(11, kInvalidValue, graph.allocation(&node, asked, bench.context));
        CUDA_STEP(12, kSuccess, graph.allocation(&node, asked));
        for (const Pointer wrong : {Pointer{0}, asked.address + 1, bench.at(0), ~Pointer{0}, cuda.allocate(64)})
          CUDA_STEP(13, kInvalidValue, graph.release(&node, wrong));
        // As much as there is not: no launch, and nothing is left of it.
        const std::size_t free = cuda.free_memory();
        AskedMemory large;
        large.bytes = std::size_t{1} << 42;
        CUDA_STEP(14, kSuccess, graph.allocation(&node, large));
        void* made = nullptr;
        CUDA_STEP(15, kSuccess, graph.instantiate(&made));
        CUDA_STEP(16, kOutOfMemory, graph.run(made));
        CUDA_STEP(17, kSuccess, cuda.call<int(int)>("cuDeviceGraphMemTrim", 0));
        CUDA_STEP(18, free, cuda.free_memory());
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
