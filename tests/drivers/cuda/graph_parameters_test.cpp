// SPDX-License-Identifier: Apache-2.0
// What a program is told of nodes that it added or captured: a graph that is built of what was told does the same.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "tests/drivers/cuda/graph_bench.hpp"

namespace nvmlab::cuda_test {
namespace {

TEST(CudaGraphParameters, OfAKernelAreToldAndLeadIntoTheNode) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        Sum sum(bench);
        Graph graph(bench);
        KernelNode asked = sum.node();
        void* node = nullptr;
        CUDA_STEP(1, kSuccess, graph.kernel(&node, asked));
        KernelNode seen;
        CUDA_STEP(2, kSuccess, cuda.call<Ask>("cuGraphKernelNodeGetParams_v2", node, static_cast<void*>(&seen)));
        CUDA_STEP(3, true, seen.function == sum.function && seen.context == bench.context);
        CUDA_STEP(4, 0, std::memcmp(seen.grid, asked.grid, sizeof seen.grid + sizeof seen.block));
        CUDA_STEP(5, true, seen.parameters != nullptr && seen.parameters != asked.parameters && seen.extra == nullptr);
        for (unsigned i = 0; i < 3; ++i)
          CUDA_STEP(6, sum.at[i], *static_cast<Pointer*>(seen.parameters[i]));
        CUDA_STEP(7, kCount, *static_cast<unsigned*>(seen.parameters[3]));
        // A graph of what was told does the same.
        Graph same(bench);
        void* other = nullptr;
        CUDA_STEP(8, kSuccess, same.kernel(&other, seen));
        CUDA_STEP(9, kSuccess, same.run(same.executable()));
        CUDA_STEP(10, true, sum.is_sum(1.0F));
        // Given as one buffer, told as one.
        struct {
          Pointer at[3];
          unsigned count;
        } packed{{sum.at[0], sum.at[1], sum.at[2]}, kCount};
        std::size_t size = sizeof packed;
        const auto tag = [](std::uintptr_t number) { return reinterpret_cast<void*>(number); };
        void* extra[] = {tag(1), &packed, tag(2), &size, tag(0)};
        asked.parameters = nullptr;
        asked.extra = extra;
        CUDA_STEP(11, kSuccess, cuda.call<Ask>("cuGraphKernelNodeSetParams_v2", node, static_cast<void*>(&asked)));
        struct {  // of CUDA 10
          void* function;
          unsigned shape[7];
          void** parameters;
          void** extra;
          void* behind;
        } old{};
        old.behind = &old;
        CUDA_STEP(12, kSuccess, cuda.call<Ask>("cuGraphKernelNodeGetParams", node, static_cast<void*>(&old)));
        CUDA_STEP(13, true, old.behind == &old && old.parameters == nullptr && old.extra[0] == tag(1));
        CUDA_STEP(14, 0, std::memcmp(old.extra[1], &packed, 28));
        sum.start(5.0F);
        seen.parameters = nullptr;
        seen.extra = old.extra;
        CUDA_STEP(15, kSuccess, cuda.call<Ask>("cuGraphKernelNodeSetParams_v2", other, static_cast<void*>(&seen)));
        CUDA_STEP(16, kSuccess, same.run(same.executable()));
        CUDA_STEP(17, true, sum.is_sum(5.0F));
        void* empty = nullptr;
        CUDA_STEP(18, kSuccess, graph.empty(&empty));
        CUDA_STEP(19, kInvalidValue, cuda.call<Ask>("cuGraphKernelNodeGetParams_v2", empty, static_cast<void*>(&seen)));
        CUDA_STEP(20, kInvalidValue, cuda.call<Ask>("cuGraphKernelNodeGetParams_v2", node, nullptr));
        CUDA_STEP(21, kInvalidValue, cuda.call<Ask>("cuGraphNodeGetParams", nullptr, static_cast<void*>(&old)));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

// Whatever was captured is told by its type, and a graph of that does what the stream would have done.
TEST(CudaGraphParameters, OfCapturedNodesMakeTheSameGraph) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        Sum sum(bench);
        void* stream = bench.stream(kNonBlocking);
        const auto work = [&] {
          cuda.call<int(Pointer, unsigned, std::size_t, void*)>("cuMemsetD32Async", sum.at[0], 0x40000000u, kCount / 2,
                                                                stream);
          cuda.call<int(Pointer, const void*, std::size_t, void*)>("cuMemcpyHtoDAsync_v2", sum.at[1], bench.words, 32,
                                                                   stream);
          void* none = nullptr;
          launch(cuda, sum.function, 1, kCount, sum.parameters, nullptr, stream);
          cuda.call<int(void*, Pointer, std::size_t, void*)>("cuMemcpyDtoHAsync_v2", bench.words + 64, sum.at[2], 64,
                                                             stream);
          bench.call(
              stream, [](void* words) { ++static_cast<unsigned*>(words)[90]; }, bench.words);
          return none;
        };
        const auto begin = [&] {
          sum.start(3.0F);
          for (unsigned i = 0; i < 8; ++i)
            bench.words[i] = 0x3F800000;
          std::memset(bench.words + 64, 0, 64);
        };
        begin();
        work();
        CUDA_STEP(1, kSuccess, bench.synchronize(stream));
        const std::vector<unsigned> expected(bench.words + 64, bench.words + 80);
        begin();
        void* graph = nullptr;
        CUDA_STEP(2, kSuccess, cuda.call<int(void*, int)>("cuStreamBeginCapture_v2", stream, 0));
        work();
        CUDA_STEP(3, kSuccess, cuda.call<int(void*, void**)>("cuStreamEndCapture", stream, &graph));
        std::size_t count = 16;
        void* nodes[16] = {};
        CUDA_STEP(4, kSuccess, cuda.call<int(void*, void**, std::size_t*)>("cuGraphGetNodes", graph, nodes, &count));
        CUDA_STEP(5, 5u, count);
        Graph made(bench);
        void* before = nullptr;
        for (std::size_t i = 0; i < count; ++i) {
          Parameters seen;
          seen.last = 1;
          CUDA_STEP(6, kSuccess, cuda.call<Ask>("cuGraphNodeGetParams", nodes[i], static_cast<void*>(&seen)));
          CUDA_STEP(7, 0, seen.last);
          EdgeData plain;
          using AddAny = int(void**, void*, void**, const EdgeData*, std::size_t, void*);
          CUDA_STEP(8, kSuccess,
                    cuda.call<AddAny>("cuGraphAddNode_v3", &before, made.graph, &before, &plain, i == 0 ? 0 : 1,
                                      static_cast<void*>(&seen)));
        }
        CUDA_STEP(9, kSuccess, made.run(made.executable()));
        CUDA_STEP(10, 0, std::memcmp(expected.data(), bench.words + 64, 64));
        CUDA_STEP(11, 2u, bench.read(90));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

// A copy by whatever the address says, of memory that is freed before a launch, is told by the stream: it was copied
// from where nothing is mapped, and ended the process.
TEST(CudaGraphParameters, ACopyOfFreedMemoryIsTold) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        const Pointer memory = cuda.allocate(1 << 20);
        Graph graph(bench);
        void* node = nullptr;
        Copy3D asked = line(bench.at(0), memory, 64);
        CUDA_STEP(1, kSuccess, graph.copy(&node, asked));
        void* made = graph.executable();
        CUDA_STEP(2, kSuccess, cuda.call<int(Pointer)>("cuMemFree_v2", memory));
        CUDA_STEP(3, kIllegalAddress, graph.run(made));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

// Two threads build graphs and ask about each other's.
TEST(CudaGraphParameters, AreAskedByTwoThreads) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      const StreamBench bench(cuda);
                      Sum sum(bench);
                      Graph graph(bench);
                      KernelNode asked = sum.node();
                      void* node = nullptr;
                      CUDA_STEP(1, kSuccess, graph.kernel(&node, asked));
                      const auto ask = [&] {
                        cuda.call<int(void*)>("cuCtxSetCurrent", bench.context);
                        for (int i = 0; i < 500; ++i) {
                          void* clone = nullptr;
                          void* copy = nullptr;
                          KernelNode seen;
                          Attribute value;
                          value.number = -1;
                          cuda.call<int(void**, void*)>("cuGraphClone", &clone, graph.graph);
                          cuda.call<int(void**, void*, void*)>("cuGraphNodeFindInClone", &copy, node, clone);
                          cuda.call<SetAttribute>("cuGraphKernelNodeSetAttribute", node, 8, &value);
                          cuda.call<Ask>("cuGraphKernelNodeCopyAttributes", copy, node);
                          cuda.call<Ask>("cuGraphKernelNodeGetParams_v2", copy, static_cast<void*>(&seen));
                          if (seen.parameters == nullptr || *static_cast<Pointer*>(seen.parameters[0]) != sum.at[0])
                            return 1;
                          cuda.call<int(void*)>("cuGraphDestroy", clone);
                        }
                        return 0;
                      };
                      int beside = 1;
                      std::thread other([&] { beside = ask(); });
                      const int here = ask();
                      other.join();
                      return here + beside;
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
