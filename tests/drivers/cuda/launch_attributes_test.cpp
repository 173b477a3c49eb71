// SPDX-License-Identifier: Apache-2.0
// Attributes of kernel nodes and of streams.
#include <gtest/gtest.h>

#include "tests/drivers/cuda/graph_bench.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr int kInvalidClusterSize = 912;

TEST(CudaLaunchAttributes, KernelsHaveAttributes) {
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
        const auto set = [&](void* node, int id, int value) {
          Attribute attribute;
          attribute.number = value;
          return cuda.call<SetAttribute>("cuGraphKernelNodeSetAttribute", node, id, &attribute);
        };
        const auto get = [&](void* node, int id) {
          Attribute attribute;
          const int code = cuda.call<GetAttribute>("cuGraphKernelNodeGetAttribute", node, id, &attribute);
          return code == kSuccess ? attribute.number : -1000 - code;
        };
        CUDA_STEP(4, 0, get(first, 2));
        CUDA_STEP(5, 0, get(first, 8));
        CUDA_STEP(6, kSuccess, set(first, 2, 1));
        CUDA_STEP(7, kSuccess, set(first, 8, -3));
        CUDA_STEP(8, kSuccess, set(first, 14, 50));
        CUDA_STEP(9, true, get(first, 2) == 1 && get(first, 8) == -3 && get(first, 14) == 50);
        CUDA_STEP(10, kSuccess, set(first, 8, -100));
        CUDA_STEP(11, -5, get(first, 8));
        // What there is not, of another owner, and of no value.
        for (const int id : {-1, 0, 3, 6, 7, 12, 15, 19, 1 << 30}) {
          CUDA_STEP(12, kInvalidValue, set(first, id, 0));
          CUDA_STEP(13, -1000 - kInvalidValue, get(first, id));
        }
        CUDA_STEP(14, kInvalidValue, set(first, 2, 2));
        CUDA_STEP(15, kInvalidValue, set(first, 5, 9));
        CUDA_STEP(16, kInvalidValue, set(first, 4, 0));
        CUDA_STEP(17, kNotSupported, set(first, 13, 1));
        Attribute cluster;
        for (unsigned& each : cluster.dimensions)
          each = 1;
        CUDA_STEP(18, kSuccess, cuda.call<SetAttribute>("cuGraphKernelNodeSetAttribute", first, 4, &cluster));
        cluster.dimensions[1] = 2;  // of a grid that has one row
        CUDA_STEP(19, kInvalidClusterSize,
                  cuda.call<SetAttribute>("cuGraphKernelNodeSetAttribute", first, 4, &cluster));
        CUDA_STEP(20, kInvalidValue, set(empty, 8, 0));
        CUDA_STEP(21, kInvalidValue, cuda.call<SetAttribute>("cuGraphKernelNodeSetAttribute", first, 8, nullptr));
        CUDA_STEP(22, kInvalidValue, cuda.call<GetAttribute>("cuGraphKernelNodeGetAttribute", first, 8, nullptr));
        // To another node, and to the copy of a graph; other parameters leave them.
        CUDA_STEP(23, kSuccess, cuda.call<Ask>("cuGraphKernelNodeCopyAttributes", second, first));
        CUDA_STEP(24, kInvalidValue, cuda.call<Ask>("cuGraphKernelNodeCopyAttributes", second, empty));
        CUDA_STEP(25, kSuccess, cuda.call<Ask>("cuGraphKernelNodeSetParams_v2", second, static_cast<void*>(&asked)));
        void* clone = nullptr;
        void* copy = nullptr;
        CUDA_STEP(26, kSuccess, cuda.call<int(void**, void*)>("cuGraphClone", &clone, graph.graph));
        CUDA_STEP(27, kSuccess, cuda.call<int(void**, void*, void*)>("cuGraphNodeFindInClone", &copy, second, clone));
        for (void* each : {second, copy})
          CUDA_STEP(28, true, get(each, 2) == 1 && get(each, 8) == -5 && get(each, 14) == 50);
        CUDA_STEP(29, kSuccess, graph.run(graph.executable()));
        CUDA_STEP(30, true, sum.is_sum(1.0F));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

int map_domains(const StreamBench& bench) {
  constexpr int kDomainCount = 126;
  constexpr int kDomainMap = 9;
  const Cuda& cuda = bench.cuda;
  void* stream = bench.stream();
  int count = 0;
  CUDA_STEP(1, kSuccess, cuda.call<int(int*, int, int)>("cuDeviceGetAttribute", &count, kDomainCount, 0));
  Attribute map;
  CUDA_STEP(2, kSuccess, cuda.call<GetAttribute>("cuStreamGetAttribute", stream, kDomainMap, &map));
  CUDA_STEP(3, true, map.domains[0] == 0 && map.domains[1] == (count > 1 ? 1 : 0));
  map.domains[1] = static_cast<unsigned char>(count - 1);
  CUDA_STEP(4, kSuccess, cuda.call<SetAttribute>("cuStreamSetAttribute", stream, kDomainMap, &map));
  map.domains[1] = static_cast<unsigned char>(count);
  CUDA_STEP(5, kInvalidValue, cuda.call<SetAttribute>("cuStreamSetAttribute", stream, kDomainMap, &map));
  return 0;
}

// One domain before compute capability 9.0, several since.
TEST(CudaLaunchAttributes, DomainMapsNameDomainsOfTheDevice) {
  for (const char* profile : {"dgx-a100", "dgx-h100"})
    EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", profile}}, [](const Cuda& cuda) { return on_bench(cuda, map_domains); }),
              "exit 0")
        << profile;
}

TEST(CudaLaunchAttributes, StreamsHaveAttributes) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        void* stream = bench.stream();
        void* other = bench.stream();
        Attribute value;
        const auto get = [&](void* of, int id) {
          Attribute seen;
          const int code = cuda.call<GetAttribute>("cuStreamGetAttribute", of, id, &seen);
          return code == kSuccess ? seen.number : -1000 - code;
        };
        CUDA_STEP(1, true, get(stream, 3) == 1 && get(stream, 8) == 0 && get(kLegacy, 3) == 1);
        value.number = 4;
        CUDA_STEP(2, kSuccess, cuda.call<SetAttribute>("cuStreamSetAttribute", stream, 3, &value));
        value.number = -2;
        CUDA_STEP(3, kSuccess, cuda.call<SetAttribute>("cuStreamSetAttribute", stream, 8, &value));
        int priority = 1;
        CUDA_STEP(4, kSuccess, cuda.call<int(void*, int*)>("cuStreamGetPriority", stream, &priority));
        CUDA_STEP(5, -2, priority);
        CUDA_STEP(6, kSuccess, cuda.call<Ask>("cuStreamCopyAttributes", other, stream));
        CUDA_STEP(7, true, get(other, 3) == 4 && get(other, 8) == -2);
        value.number = 5;
        CUDA_STEP(8, kInvalidValue, cuda.call<SetAttribute>("cuStreamSetAttribute", stream, 3, &value));
        CUDA_STEP(9, kInvalidValue, cuda.call<SetAttribute>("cuStreamSetAttribute", stream, 2, &value));
        CUDA_STEP(10, -1000 - kInvalidValue, get(stream, 14));
        CUDA_STEP(11, kInvalidValue, cuda.call<SetAttribute>("cuStreamSetAttribute", stream, 3, nullptr));
        CUDA_STEP(12, -1000 - kInvalidHandle, get(bench.context, 3));
        CUDA_STEP(13, kInvalidHandle, cuda.call<Ask>("cuStreamCopyAttributes", other, bench.context));
        // A stream that comes later has nothing of one that went.
        CUDA_STEP(14, kSuccess, cuda.call<int(void*)>("cuStreamDestroy_v2", stream));
        CUDA_STEP(15, 1, get(bench.stream(), 3));
        // Nodes are told the priority of the stream that they were captured from.
        Sum sum(bench);
        void* graph = nullptr;
        CUDA_STEP(16, kSuccess, cuda.call<int(void*, int)>("cuStreamBeginCapture_v2", other, 0));
        CUDA_STEP(17, kSuccess, launch(cuda, sum.function, 1, kCount, sum.parameters, nullptr, other));
        CUDA_STEP(18, kSuccess, cuda.call<int(void*, void**)>("cuStreamEndCapture", other, &graph));
        void* node = nullptr;
        std::size_t count = 1;
        CUDA_STEP(19, kSuccess, cuda.call<int(void*, void**, std::size_t*)>("cuGraphGetNodes", graph, &node, &count));
        CUDA_STEP(20, kSuccess, cuda.call<GetAttribute>("cuGraphKernelNodeGetAttribute", node, 8, &value));
        CUDA_STEP(21, -2, value.number);
        void* context = nullptr;
        void* green = &context;
        using Contexts = int(void*, void**, void**);
        CUDA_STEP(22, kSuccess, cuda.call<Contexts>("cuStreamGetCtx_v2", other, &context, &green));
        CUDA_STEP(23, true, context == bench.context && green == nullptr);
        CUDA_STEP(24, kInvalidValue, cuda.call<Contexts>("cuStreamGetCtx_v2", other, &context, nullptr));
        using Call = int(void*, HostFunction, void*, unsigned);
        const HostFunction count_up = [](void* word) { ++*static_cast<unsigned*>(word); };
        CUDA_STEP(25, kSuccess, cuda.call<Call>("cuLaunchHostFunc_v2", other, count_up, bench.words + 5, 1u));
        CUDA_STEP(26, kInvalidValue, cuda.call<Call>("cuLaunchHostFunc_v2", other, count_up, bench.words + 5, 2u));
        CUDA_STEP(27, kSuccess, bench.synchronize(other));
        CUDA_STEP(28, 1u, bench.read(5));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
