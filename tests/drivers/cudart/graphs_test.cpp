// SPDX-License-Identifier: Apache-2.0
// Graphs that are described node by node through libcudart; what libcuda tells of the nodes is the oracle.
#include <gtest/gtest.h>

#include "tests/drivers/cudart/described_graph.hpp"

namespace nvmlab::cudart_test {
namespace {

class CudartGraphs : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Cudart, CudartGraphs, testing::Values(12, 13));

TEST_P(CudartGraphs, ComputeWhatTheyDescribe) {
  EXPECT_EQ(in_runtime(GetParam(),
                       [](const Cudart& runtime) {
                         Graph graph(runtime);
                         CUDA_STEP(1, kSuccess, graph.build());
                         CUDA_STEP(2, kSuccess, graph.instantiate());
                         CUDA_STEP(3, 6U, graph.launched());
                         graph.step = 8;
                         CUDA_STEP(4, 9U, graph.launched());  // the copy reads what is there by then
                         return 0;
                       }),
            "exit 0");
}

TEST_P(CudartGraphs, NodesAreThoseOfTheDriver) {
  EXPECT_EQ(
      in_runtime(GetParam(),
                 [](const Cudart& runtime) {
                   const cuda_test::Cuda driver;
                   Graph graph(runtime);
                   CUDA_STEP(1, kSuccess, graph.build());
                   cuda_test::KernelNode kernel{};
                   CUDA_STEP(2, kSuccess,
                             driver.call<int(Node, cuda_test::KernelNode*)>("cuGraphKernelNodeGetParams", graph.add,
                                                                            &kernel));
                   CUDA_STEP(3, true, kernel.grid[0] == 2 && kernel.block[0] == 64 && kernel.shared == 0);
                   RuntimeKernel told{};
                   CUDA_STEP(4, kSuccess,
                             runtime.call<int(Node, RuntimeKernel*)>("cudaGraphKernelNodeGetParams", graph.add, &told));
                   CUDA_STEP(5, true, told.function == &host_kernel && told.grid.x == 2 && told.block.x == 64);
                   cuda_test::Copy3D box{};
                   CUDA_STEP(6, kSuccess,
                             driver.call<int(Node, cuda_test::Copy3D*)>("cuGraphMemcpyNodeGetParams", graph.out, &box));
                   CUDA_STEP(7, true, box.width == 40 && box.height == 10 && box.from.type == 2 && box.to.type == 1);
                   CUDA_STEP(8, true, box.to.host == graph.back && box.from.pitch == 40);
                   RuntimeCopy copy{};
                   CUDA_STEP(9, kSuccess,
                             runtime.call<int(Node, RuntimeCopy*)>("cudaGraphMemcpyNodeGetParams", graph.out, &copy));
                   const RuntimeCopy asked = graph.copied();
                   CUDA_STEP(10, 0, std::memcmp(&copy.extent, &asked.extent, sizeof asked.extent));
                   CUDA_STEP(11, true,
                             copy.kind == kToHost && copy.from.data == graph.data && copy.to.data == graph.back &&
                                 copy.to.pitch == 40);
                   CUDA_STEP(12, kSuccess,
                             driver.call<int(Node, cuda_test::Copy3D*)>("cuGraphMemcpyNodeGetParams", graph.in, &box));
                   CUDA_STEP(13, true, box.width == 400 && box.height == 1 && box.depth == 1 && box.from.type == 1);
                   return 0;
                 }),
      "exit 0");
}

TEST_P(CudartGraphs, NodesAreChanged) {
  EXPECT_EQ(
      in_runtime(
          GetParam(),
          [](const Cudart& runtime) {
            Graph graph(runtime);
            CUDA_STEP(1, kSuccess, graph.build());
            unsigned other = 20;
            using SetSymbol = int(Node, const void*, const void*, std::size_t, std::size_t, int);
            CUDA_STEP(2, kSuccess,
                      runtime.call<SetSymbol>("cudaGraphMemcpyNodeSetParamsToSymbol", graph.set, host_step, &other, 4UL,
                                              0UL, kToDevice));
            CUDA_STEP(3, kSuccess, graph.instantiate());
            CUDA_STEP(4, 21U, graph.launched());
            unsigned third = 30;
            using ChangeSymbol = int(void*, Node, const void*, const void*, std::size_t, std::size_t, int);
            CUDA_STEP(5, kSuccess,
                      runtime.call<ChangeSymbol>("cudaGraphExecMemcpyNodeSetParamsToSymbol", graph.executable,
                                                 graph.set, host_step, &third, 4UL, 0UL, kToDevice));
            CUDA_STEP(6, 31U, graph.launched());
            // The copy back becomes one of bytes, of the ones that went in.
            using ChangeBytes = int(void*, Node, void*, const void*, std::size_t, int);
            CUDA_STEP(7, kSuccess,
                      runtime.call<ChangeBytes>("cudaGraphExecMemcpyNodeSetParams1D", graph.executable, graph.out,
                                                graph.back, graph.host, 400UL, kByAddress));
            CUDA_STEP(8, 1U, graph.launched());
            RuntimeKernel kernel = graph.kernel();
            kernel.block.x = 32;
            using Change = int(void*, Node, const RuntimeKernel*);
            CUDA_STEP(9, kSuccess,
                      runtime.call<Change>("cudaGraphExecKernelNodeSetParams", graph.executable, graph.add, &kernel));
            RuntimeCopy copy = graph.copied();
            using ChangeCopy = int(void*, Node, const RuntimeCopy*);
            CUDA_STEP(10, kSuccess,
                      runtime.call<ChangeCopy>("cudaGraphExecMemcpyNodeSetParams", graph.executable, graph.out, &copy));
            CUDA_STEP(11, 0U, graph.launched());  // 64 of 100 have been added to
            CUDA_STEP(12, true, graph.back[63] == 31 && graph.back[64] == 1);
            kernel.block.x = 64;
            CUDA_STEP(
                13, kSuccess,
                runtime.call<int(Node, const RuntimeKernel*)>("cudaGraphKernelNodeSetParams", graph.add, &kernel));
            return 0;
          }),
      "exit 0");
}

TEST_P(CudartGraphs, VariablesAndFillsAreNodes) {
  EXPECT_EQ(in_runtime(GetParam(),
                       [](const Cudart& runtime) {
                         Graph graph(runtime);
                         CUDA_STEP(1, kSuccess, set_step(runtime, 77));
                         Node node = nullptr;
                         cuda_test::Fill fill{reinterpret_cast<cuda_test::Pointer>(graph.data), 0, 9, 4, 100, 1};
                         CUDA_STEP(
                             2, kSuccess,
                             runtime.call<AddFill>("cudaGraphAddMemsetNode", &node, graph.graph, nullptr, 0UL, &fill));
                         Node then = nullptr;
                         CUDA_STEP(3, kSuccess,
                                   runtime.call<AddBytes>("cudaGraphAddMemcpyNode1D", &then, graph.graph, &node, 1UL,
                                                          graph.back, graph.data, 400UL, kToHost));
                         CUDA_STEP(4, kSuccess,
                                   runtime.call<AddFromSymbol>("cudaGraphAddMemcpyNodeFromSymbol", &then, graph.graph,
                                                               nullptr, 0UL, graph.host, host_step, 4UL, 0UL, kToHost));
                         CUDA_STEP(5, kSuccess, graph.instantiate());
                         CUDA_STEP(6, 9U, graph.launched());
                         CUDA_STEP(7, 77U, graph.host[0]);
                         fill.value = 4;
                         CUDA_STEP(8, kSuccess,
                                   runtime.call<int(void*, Node, const cuda_test::Fill*)>(
                                       "cudaGraphExecMemsetNodeSetParams", graph.executable, node, &fill));
                         CUDA_STEP(9, 4U, graph.launched());
                         return 0;
                       }),
            "exit 0");
}

TEST_P(CudartGraphs, NodesOfAnyTypeSayWhichTheyAre) {
  EXPECT_EQ(in_runtime(
                GetParam(),
                [](const Cudart& runtime) {
                  const bool newer = GetParam() == 13;
                  Graph graph(runtime);
                  CUDA_STEP(1, kSuccess, graph.build());
                  const auto add = [&](Node* made, const Node* before, std::size_t count, AnyNode* of) {
                    using Add = int(Node*, void*, const Node*, std::size_t, AnyNode*);
                    using Newer = int(Node*, void*, const Node*, const void*, std::size_t, AnyNode*);
                    const void* const edges = nullptr;
                    return newer ? runtime.call<Newer>("cudaGraphAddNode", made, graph.graph, before, edges, count, of)
                                 : runtime.call<Add>("cudaGraphAddNode", made, graph.graph, before, count, of);
                  };
                  Node again = nullptr;
                  AnyNode any{};
                  const RuntimeKernel kernel = graph.kernel();
                  std::memcpy(any.of, &kernel, sizeof kernel);
                  CUDA_STEP(2, kSuccess, add(&again, &graph.out, 1, &any));
                  CUDA_STEP(3, true, std::memcmp(any.of, &kernel, sizeof kernel) == 0);  // stays as it was given
                  Node last = nullptr;
                  any = {1, {}, {}, 0};
                  const RuntimeCopy copy = graph.copied();
                  std::memcpy(any.of + 2, &copy, sizeof copy);
                  CUDA_STEP(4, kSuccess, add(&last, &again, 1, &any));
                  CUDA_STEP(5, kSuccess, graph.instantiate());
                  CUDA_STEP(6, 11U, graph.launched());
                  any.of[2] = 1;  // an array of nobody
                  CUDA_STEP(7, kInvalidHandle, runtime.call<int(Node, AnyNode*)>("cudaGraphNodeSetParams", last, &any));
                  CUDA_STEP(8, kInvalidValue, add(&last, nullptr, 0, nullptr));
                  if (!newer) return 0;
                  using Tell = int(Node, AnyNode*);
                  CUDA_STEP(9, kSuccess, runtime.call<Tell>("cudaGraphNodeGetParams", again, &any));
                  RuntimeKernel told{};
                  std::memcpy(&told, any.of, sizeof told);
                  CUDA_STEP(10, true, any.type == 0 && told.function == &host_kernel && told.block.x == 64);
                  return 0;
                },
                {{"NVMLAB_DRIVER", GetParam() == 13 ? "615" : "550"}}),
            "exit 0");
}

TEST_P(CudartGraphs, AConditionDecidesWhatRuns) {
  EXPECT_EQ(in_runtime(GetParam(),
                       [](const Cudart& runtime) {
                         void* host = nullptr;
                         CUDA_STEP(1, kSuccess, runtime.call<int(void**, std::size_t)>("cudaMallocHost", &host, 4UL));
                         for (const unsigned first : {0U, 1U}) {
                           *static_cast<unsigned*>(host) = 5;
                           Node graph = nullptr;
                           CUDA_STEP(2, kSuccess, runtime.call<int(void**, unsigned)>("cudaGraphCreate", &graph, 0U));
                           using Create = int(unsigned long long*, void*, unsigned, unsigned);
                           unsigned long long handle = 0;
                           const char* const create = "cudaGraphConditionalHandleCreate";
                           CUDA_STEP(3, kSuccess, runtime.call<Create>(create, &handle, graph, first, 1U));
                           CUDA_STEP(4, kInvalidValue, runtime.call<Create>(create, nullptr, graph, first, 1U));
                           CUDA_STEP(5, kInvalidValue, runtime.call<Create>(create, &handle, nullptr, first, 1U));
                           struct {
                             int type = 13, reserved[3] = {};
                             unsigned long long handle = 0;
                             int kind = 0;
                             unsigned size = 1;
                             Node* bodies = nullptr;
                             long long rest[27] = {};
                           } asked;
                           asked.handle = handle;
                           Node node = nullptr;
                           const void* const edges = nullptr;
                           using Add = int(Node*, void*, const Node*, std::size_t, void*);
                           using Newer = int(Node*, void*, const Node*, const void*, std::size_t, void*);
                           CUDA_STEP(6, kSuccess,
                                     GetParam() == 13 ? runtime.call<Newer>("cudaGraphAddNode", &node, graph, nullptr,
                                                                            edges, 0UL, static_cast<void*>(&asked))
                                                      : runtime.call<Add>("cudaGraphAddNode", &node, graph, nullptr,
                                                                          0UL, static_cast<void*>(&asked)));
                           const cuda_test::Fill fill{reinterpret_cast<std::uintptr_t>(host), 0, 9, 4, 1, 1};
                           CUDA_STEP(7, kSuccess,
                                     runtime.call<AddFill>("cudaGraphAddMemsetNode", &node, asked.bodies[0], nullptr,
                                                           0UL, &fill));
                           void* made = nullptr;
                           CUDA_STEP(8, kSuccess,
                                     runtime.call<int(void**, void*, unsigned long long)>(
                                         "cudaGraphInstantiateWithFlags", &made, graph, 0ULL));
                           CUDA_STEP(9, kSuccess, runtime.call<int(void*, void*)>("cudaGraphLaunch", made, nullptr));
                           CUDA_STEP(10, kSuccess, runtime.call<int()>("cudaDeviceSynchronize"));
                           CUDA_STEP(11, first == 0 ? 5U : 9U, *static_cast<unsigned*>(host));
                         }
                         return 0;
                       },
                       {{"NVMLAB_DRIVER", GetParam() == 13 ? "615" : "550"}}),
            "exit 0");
}

TEST_P(CudartGraphs, HostileInputIsAnError) {
  EXPECT_EQ(in_runtime(
                GetParam(),
                [](const Cudart& runtime) {
                  Graph graph(runtime);
                  CUDA_STEP(1, kSuccess, graph.build());
                  Node node = nullptr;
                  RuntimeKernel kernel = graph.kernel();
                  int stranger = 0;
                  kernel.function = &stranger;
                  const auto add = [&](const RuntimeKernel* of) {
                    return runtime.call<AddKernel>("cudaGraphAddKernelNode", &node, graph.graph, nullptr, 0UL, of);
                  };
                  CUDA_STEP(2, kInvalidDeviceFunction, add(&kernel));
                  CUDA_STEP(3, kInvalidValue, add(nullptr));
                  const auto bytes = [&](void* to, const void* from, int kind) {
                    return runtime.call<AddBytes>("cudaGraphAddMemcpyNode1D", &node, graph.graph, nullptr, 0UL, to,
                                                  from, 400UL, kind);
                  };
                  CUDA_STEP(4, kInvalidDirection, bytes(graph.data, graph.host, 9));
                  CUDA_STEP(5, kInvalidValue, bytes(nullptr, graph.host, kToDevice));
                  const auto variable = [&](const void* symbol, std::size_t count, std::size_t offset, int kind) {
                    return runtime.call<AddToSymbol>("cudaGraphAddMemcpyNodeToSymbol", &node, graph.graph, nullptr, 0UL,
                                                     symbol, graph.host, count, offset, kind);
                  };
                  CUDA_STEP(6, kInvalidValue, variable(host_step, 4, 1, kToDevice));
                  CUDA_STEP(7, kInvalidValue, variable(host_step, ~0UL, 2, kToDevice));
                  CUDA_STEP(8, kInvalidDirection, variable(host_step, 4, 0, kToHost));
                  CUDA_STEP(9, kInvalidSymbol, variable(&stranger, 4, 0, kToDevice));
                  CUDA_STEP(
                      10, kInvalidValue,
                      runtime.call<int(Node, RuntimeKernel*)>("cudaGraphKernelNodeGetParams", graph.out, &kernel));
                  CUDA_STEP(11, kInvalidValue,
                            runtime.call<AddCopy>("cudaGraphAddMemcpyNode", &node, graph.graph, nullptr, 0UL, nullptr));
                  return 0;
                }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cudart_test
