// SPDX-License-Identifier: Apache-2.0
// Graphs that a program builds: their order, what they refuse, and what becomes of what they use.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "tests/drivers/cuda/stream_bench.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::cuda_test {
namespace {

struct HostNode {
  void (*function)(void*);
  void* data;
};
struct KernelNode {  // CUDA_KERNEL_NODE_PARAMS of CUDA 12
  void* function;
  unsigned grid[3];
  unsigned block[3];
  unsigned shared;
  void** parameters;
  void** extra;
  void* kernel;
  void* context;
};

struct Builder {
  explicit Builder(const Cuda& of) : cuda(of) { cuda.call<int(void**, unsigned)>("cuGraphCreate", &graph, 0u); }
  void* host(void (*function)(void*), void* data, const std::vector<void*>& before = {}) const {
    void* node = nullptr;
    HostNode asked{function, data};
    cuda.call<int(void**, void*, void* const*, std::size_t, void*)>("cuGraphAddHostNode", &node, graph, before.data(),
                                                                    before.size(), static_cast<void*>(&asked));
    return node;
  }
  int join(void* from, void* to) const {
    return cuda.call<int(void*, void**, void**, std::size_t)>("cuGraphAddDependencies", graph, &from, &to, 1);
  }
  int part(void* from, void* to) const {
    return cuda.call<int(void*, void**, void**, std::size_t)>("cuGraphRemoveDependencies", graph, &from, &to, 1);
  }
  void* executable() const {
    void* made = nullptr;
    cuda.call<int(void**, void*, unsigned long long)>("cuGraphInstantiateWithFlags", &made, graph, 0ULL);
    return made;
  }
  int run(void* made) const {
    const int code = cuda.call<int(void*, void*)>("cuGraphLaunch", made, nullptr);
    return code == kSuccess ? cuda.call<int()>("cuCtxSynchronize") : code;
  }

  const Cuda& cuda;
  void* graph = nullptr;
};

// Random graphs, built in an order that is not theirs: each node runs after those that it depends on.
TEST(CudaGraphs, EachNodeRunsAfterThoseItDependsOn) {
  EXPECT_EQ(
      in_cuda(
          {},
          [](const Cuda& cuda) {
            cuda.context();
            static std::vector<int> order;
            std::mt19937 random(15);
            for (int round = 0; round < 20; ++round) {
              const Builder build(cuda);
              constexpr int kNodes = 40;
              std::vector<void*> nodes;
              std::vector<int> rank(kNodes);
              for (std::intptr_t i = 0; i < kNodes; ++i) {
                nodes.push_back(build.host(
                    [](void* number) { order.push_back(static_cast<int>(reinterpret_cast<std::intptr_t>(number))); },
                    reinterpret_cast<void*>(i)));
                rank[static_cast<std::size_t>(i)] = static_cast<int>(i);
              }
              std::shuffle(rank.begin(), rank.end(), random);
              std::vector<std::pair<int, int>> edges;
              for (int i = 0; i < 80; ++i) {
                const int a = static_cast<int>(random() % kNodes);
                const int b = static_cast<int>(random() % kNodes);
                if (rank[static_cast<std::size_t>(a)] >= rank[static_cast<std::size_t>(b)]) continue;
                if (build.join(nodes[static_cast<std::size_t>(a)], nodes[static_cast<std::size_t>(b)]) == kSuccess)
                  edges.emplace_back(a, b);
              }
              order.clear();
              CUDA_STEP(1, kSuccess, build.run(build.executable()));
              CUDA_STEP(2, std::size_t{kNodes}, order.size());
              std::vector<int> place(kNodes, -1);
              for (int i = 0; i < kNodes; ++i)
                place[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = i;
              for (const auto& [a, b] : edges) {
                if (place[static_cast<std::size_t>(a)] > place[static_cast<std::size_t>(b)]) return 3;
              }
              CUDA_STEP(4, kSuccess, cuda.call<int(void*)>("cuGraphDestroy", build.graph));
            }
            return 0;
          }),
      "exit 0");
}

TEST(CudaGraphs, RefuseCyclesAndStrangers) {
  EXPECT_EQ(
      in_cuda({},
              [](const Cuda& cuda) {
                cuda.context();
                const auto nothing = [](void*) {};
                const Builder build(cuda);
                const Builder other(cuda);
                void* a = build.host(nothing, nullptr);
                void* b = build.host(nothing, nullptr, {a});
                void* c = build.host(nothing, nullptr, {b});
                void* stranger = other.host(nothing, nullptr);
                CUDA_STEP(1, kInvalidValue, build.join(c, a));
                CUDA_STEP(2, kInvalidValue, build.join(a, a));
                CUDA_STEP(3, kInvalidValue, build.join(a, b));
                CUDA_STEP(4, kInvalidValue, build.join(stranger, a));
                CUDA_STEP(5, kSuccess, build.part(a, b));
                CUDA_STEP(6, kInvalidValue, build.part(a, b));
                CUDA_STEP(7, kSuccess, build.join(c, a));
                if (build.host(nothing, nullptr, {a, stranger}) != nullptr) return 8;
                std::size_t count = 8;
                void* seen[8];
                CUDA_STEP(9, kSuccess,
                          cuda.call<int(void*, void**, std::size_t*)>("cuGraphGetNodes", build.graph, seen, &count));
                CUDA_STEP(10, std::size_t{3}, count);  // of what was refused nothing is left
                count = 1;
                CUDA_STEP(11, kSuccess,
                          cuda.call<int(void*, void**, std::size_t*)>("cuGraphNodeGetDependencies", a, seen, &count));
                CUDA_STEP(12, c, seen[0]);
                CUDA_STEP(13, kSuccess, cuda.call<int(void*)>("cuGraphDestroyNode", c));
                CUDA_STEP(
                    14, kSuccess,
                    cuda.call<int(void*, void**, std::size_t*)>("cuGraphNodeGetDependencies", a, nullptr, &count));
                CUDA_STEP(15, std::size_t{0}, count);
                CUDA_STEP(16, kInvalidValue, cuda.call<int(void*)>("cuGraphDestroyNode", c));
                return 0;
              }),
      "exit 0");
}

TEST(CudaGraphs, HoldCopiesOfOtherGraphs) {
  EXPECT_EQ(
      in_cuda({},
              [](const Cuda& cuda) {
                cuda.context();
                static int calls;
                calls = 0;
                const Builder child(cuda);
                child.host([](void*) { ++calls; }, nullptr);
                const Builder parent(cuda);
                using Add = int(void**, void*, void**, std::size_t, void*);
                void* node = nullptr;
                for (int i = 0; i < 3; ++i)
                  CUDA_STEP(1, kSuccess,
                            cuda.call<Add>("cuGraphAddChildGraphNode", &node, parent.graph, nullptr, 0, child.graph));
                int type = -1;
                CUDA_STEP(2, kSuccess, cuda.call<int(void*, int*)>("cuGraphNodeGetType", node, &type));
                CUDA_STEP(3, 4, type);
                CUDA_STEP(4, kInvalidValue,
                          cuda.call<Add>("cuGraphAddChildGraphNode", &node, parent.graph, nullptr, 0, parent.graph));
                CUDA_STEP(5, kSuccess, cuda.call<int(void*)>("cuGraphDestroy", child.graph));
                Builder clone(cuda);
                CUDA_STEP(6, kSuccess, cuda.call<int(void**, void*)>("cuGraphClone", &clone.graph, parent.graph));
                CUDA_STEP(7, kSuccess, cuda.call<int(void*)>("cuGraphDestroy", parent.graph));
                CUDA_STEP(8, kSuccess, clone.run(clone.executable()));
                CUDA_STEP(9, 3, calls);
                // Deeper and deeper, until it is refused.
                int depth = 0;
                for (void* inner = clone.graph; depth < 100; ++depth) {
                  const Builder outer(cuda);
                  if (cuda.call<Add>("cuGraphAddChildGraphNode", &node, outer.graph, nullptr, 0, inner) != kSuccess)
                    break;
                  inner = outer.graph;
                }
                return depth > 8 && depth < 100 ? 0 : 10;
              }),
      "exit 0");
}

TEST(CudaGraphs, KernelsOfAModuleThatIsGoneDoNotRun) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      void* module = nullptr;
                      void* add = nullptr;
                      const std::string text = ptx("vector_add.ptx");
                      CUDA_STEP(1, kSuccess, cuda.call<LoadData>("cuModuleLoadData", &module, text.c_str()));
                      CUDA_STEP(2, kSuccess, cuda.call<GetFunction>("cuModuleGetFunction", &add, module, "vector_add"));
                      Pointer sum = cuda.allocate(256);
                      cuda.call<int(Pointer, unsigned, std::size_t)>("cuMemsetD32_v2", sum, 0x3F800000u, 64);
                      unsigned count = 64;
                      void* parameters[] = {&sum, &sum, &sum, &count};
                      const Builder build(cuda);
                      KernelNode asked{add, {1, 1, 1}, {64, 1, 1}, 0, parameters, nullptr, nullptr, nullptr};
                      using Add = int(void**, void*, void**, std::size_t, void*);
                      void* node = nullptr;
                      CUDA_STEP(3, kSuccess,
                                cuda.call<Add>("cuGraphAddKernelNode_v2", &node, build.graph, nullptr, 0,
                                               static_cast<void*>(&asked)));
                      asked.block[0] = 0;
                      CUDA_STEP(4, kInvalidValue,
                                cuda.call<Add>("cuGraphAddKernelNode_v2", &node, build.graph, nullptr, 0,
                                               static_cast<void*>(&asked)));
                      void* executable = build.executable();
                      CUDA_STEP(5, kSuccess, build.run(executable));
                      CUDA_STEP(6, kSuccess, build.run(executable));
                      float value = 0;
                      CUDA_STEP(7, kSuccess, cuda.call<CopyFrom>("cuMemcpyDtoH_v2", &value, sum + 252, 4));
                      CUDA_STEP(8, 4.0F, value);
                      CUDA_STEP(9, kSuccess, cuda.call<int(void*)>("cuModuleUnload", module));
                      CUDA_STEP(10, kInvalidHandle, build.run(executable));
                      return 0;
                    }),
            "exit 0");
}

// A program that copies between GPUs may launch a graph while another context than that of its kernels is current.
TEST(CudaGraphs, ADefaultStreamWaitsForTheContextsOfItsKernels) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      void* add = kernel(cuda, ptx("vector_add.ptx"), "vector_add");
                      Pointer sum = cuda.allocate(256);
                      unsigned count = 64;
                      void* parameters[] = {&sum, &sum, &sum, &count};
                      const Builder build(cuda);
                      KernelNode asked{add, {1, 1, 1}, {64, 1, 1}, 0, parameters, nullptr, nullptr, nullptr};
                      using Add = int(void**, void*, void**, std::size_t, void*);
                      void* node = nullptr;
                      CUDA_STEP(1, kSuccess,
                                cuda.call<Add>("cuGraphAddKernelNode_v2", &node, build.graph, nullptr, 0,
                                               static_cast<void*>(&asked)));
                      void* executable = build.executable();
                      std::binary_semaphore gate{0};
                      const auto late = [](void* opened) { static_cast<std::binary_semaphore*>(opened)->acquire(); };
                      CUDA_STEP(2, kSuccess,
                                cuda.call<int(void*, void (*)(void*), void*)>("cuLaunchHostFunc", nullptr, +late,
                                                                              static_cast<void*>(&gate)));
                      std::jthread opener([&gate, waiter = ::gettid()] {
                        test::becomes_blocked(waiter);
                        gate.release();
                      });
                      CUDA_STEP(3, kSuccess,
                                cuda.call<int(Pointer, unsigned, std::size_t, void*)>("cuMemsetD32Async", sum,
                                                                                      0x3F800000u, 64, nullptr));
                      void* other = nullptr;
                      CUDA_STEP(4, kSuccess, cuda.call<int(void**, unsigned, int)>("cuCtxCreate_v2", &other, 0u, 0));
                      CUDA_STEP(5, kSuccess, build.run(executable));
                      float value = 0;
                      CUDA_STEP(6, kSuccess, cuda.call<CopyFrom>("cuMemcpyDtoH_v2", &value, sum + 252, 4));
                      CUDA_STEP(7, 2.0F, value);
                      return 0;
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
