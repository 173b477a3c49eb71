// SPDX-License-Identifier: Apache-2.0
// Memory that graphs allocate and free: added by nodes and captured, against the same work in a stream; what a launch,
// a copy and another graph may do with it; what is charged.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "tests/drivers/cuda/graph_bench.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr unsigned long long kAutoFree = 1;

// Allocated, filled, copied out and freed by one graph, again and again; charged and kept until it is trimmed.
TEST(CudaGraphMemory, LivesBetweenItsNodes) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        const std::size_t before = cuda.free_memory();
        MemoryGraph graph(bench);
        const Access access;
        AskedMemory asked;
        asked.access = &access;
        asked.accesses = 1;
        void* node[4] = {};
        CUDA_STEP(1, kSuccess, graph.allocation(&node[0], asked));
        const Pointer memory = asked.address;
        CUDA_STEP(2, true, memory != 0 && cuda.free_memory() == before);
        Fill fill{memory, 0, 77, 4, 64 * kMiB / 4, 1};
        CUDA_STEP(3, kSuccess, graph.fill(&node[1], fill, node[0]));
        Copy3D copy = line(bench.at(3), memory + 64 * kMiB - 4, 4);
        CUDA_STEP(4, kSuccess, graph.copy(&node[2], copy, node[1]));
        CUDA_STEP(5, kSuccess, graph.release(&node[3], memory, node[2]));
        fill.width += 1;
        void* none = nullptr;
        CUDA_STEP(6, kInvalidValue, graph.fill(&none, fill, node[0]));
        // No launch, no memory.
        CUDA_STEP(7, kInvalidValue,
                  cuda.call<int(Pointer, unsigned, std::size_t)>("cuMemsetD32_v2", memory, 1, std::size_t{1}));
        void* made = nullptr;
        CUDA_STEP(8, kSuccess, graph.instantiate(&made));
        for (int i = 0; i < 3; ++i) {
          bench.words[3] = 0;
          CUDA_STEP(9, kSuccess, graph.run(made));
          CUDA_STEP(10, 77u, bench.read(3));
        }
        CUDA_STEP(11, true, graph_attribute(cuda, 0) == 64 * kMiB && graph_attribute(cuda, 1) == 64 * kMiB);
        CUDA_STEP(12, true, graph_attribute(cuda, 2) == 64 * kMiB && graph_attribute(cuda, 3) == 64 * kMiB);
        CUDA_STEP(13, before - 64 * kMiB, cuda.free_memory());
        CUDA_STEP(14, kSuccess, cuda.call<int(int)>("cuDeviceGraphMemTrim", 0));
        CUDA_STEP(15, before, cuda.free_memory());
        std::uint64_t value = 1;
        using Set = int(int, int, void*);
        CUDA_STEP(16, kInvalidValue, cuda.call<Set>("cuDeviceSetGraphMemAttribute", 0, 1, static_cast<void*>(&value)));
        value = 0;
        CUDA_STEP(17, kInvalidValue, cuda.call<Set>("cuDeviceSetGraphMemAttribute", 0, 0, static_cast<void*>(&value)));
        for (int which : {1, 3}) {
          CUDA_STEP(18, kSuccess, cuda.call<Set>("cuDeviceSetGraphMemAttribute", 0, which, static_cast<void*>(&value)));
          CUDA_STEP(19, 0u, graph_attribute(cuda, which));
        }
        CUDA_STEP(20, kInvalidDevice, cuda.call<int(int)>("cuDeviceGraphMemTrim", 99));
        CUDA_STEP(21, kInvalidValue, cuda.call<Set>("cuDeviceGetGraphMemAttribute", 0, 4, static_cast<void*>(&value)));
        // What was asked for is told.
        AskedMemory seen;
        CUDA_STEP(22, kSuccess, cuda.call<Ask>("cuGraphMemAllocNodeGetParams", node[0], static_cast<void*>(&seen)));
        CUDA_STEP(23, true, seen.address == memory && seen.bytes == asked.bytes && seen.accesses == 1);
        CUDA_STEP(24, true, seen.access != &access && seen.access->flags == 3);
        Pointer freed = 0;
        CUDA_STEP(25, kSuccess, cuda.call<int(void*, Pointer*)>("cuGraphMemFreeNodeGetParams", node[3], &freed));
        CUDA_STEP(26, memory, freed);
        CUDA_STEP(27, kInvalidValue,
                  cuda.call<Ask>("cuGraphMemAllocNodeGetParams", node[3], static_cast<void*>(&seen)));
        CUDA_STEP(28, kSuccess, cuda.call<int(void*)>("cuGraphExecDestroy", made));
        CUDA_STEP(29, kSuccess, cuda.call<int(void*)>("cuGraphDestroy", graph.graph));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

// What a graph leaves behind is the program's to free, or the next launch's.
TEST(CudaGraphMemory, OutlivesTheGraphUntilItIsFreed) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        const std::size_t before = cuda.free_memory();
        MemoryGraph graph(bench);
        AskedMemory asked;
        void* node = nullptr;
        void* fill = nullptr;
        CUDA_STEP(1, kSuccess, graph.allocation(&node, asked));
        Fill with{asked.address, 0, 5, 4, 16, 1};
        CUDA_STEP(2, kSuccess, graph.fill(&fill, with, node));
        void* made = nullptr;
        CUDA_STEP(3, kSuccess, graph.instantiate(&made));
        CUDA_STEP(4, kSuccess, graph.run(made));
        CUDA_STEP(5, kInvalidValue, graph.run(made));  // it is there still
        unsigned seen = 0;
        CUDA_STEP(6, kSuccess, cuda.call<CopyFrom>("cuMemcpyDtoH_v2", static_cast<void*>(&seen), asked.address, 4));
        CUDA_STEP(7, 5u, seen);
        CUDA_STEP(8, kSuccess, cuda.call<int(Pointer)>("cuMemFree_v2", asked.address));
        CUDA_STEP(9, kInvalidValue, cuda.call<int(Pointer)>("cuMemFree_v2", asked.address));
        CUDA_STEP(10, kSuccess, graph.run(made));
        // Freed in a stream that has not come to it: the next launch has it again, and keeps it when that comes.
        void* stream = bench.stream(kNonBlocking);
        CUDA_STEP(11, kSuccess, bench.gate(stream, 0));
        CUDA_STEP(12, kSuccess, cuda.call<int(Pointer, void*)>("cuMemFreeAsync", asked.address, stream));
        CUDA_STEP(13, kSuccess, graph.run(made));
        bench.open(0);
        CUDA_STEP(14, kSuccess, bench.synchronize(stream));
        CUDA_STEP(15, kSuccess, cuda.call<CopyFrom>("cuMemcpyDtoH_v2", static_cast<void*>(&seen), asked.address, 4));
        // Another graph frees it, once for each launch of the first.
        MemoryGraph other(bench);
        void* release = nullptr;
        CUDA_STEP(16, kSuccess, other.release(&release, asked.address));
        CUDA_STEP(17, kInvalidValue, other.release(&release, asked.address));
        CUDA_STEP(18, kInvalidValue, graph.release(&release, asked.address));
        void* freeing = nullptr;
        CUDA_STEP(19, kSuccess, other.instantiate(&freeing));
        CUDA_STEP(20, kSuccess, other.run(freeing));
        CUDA_STEP(21, kInvalidValue, other.run(freeing));
        CUDA_STEP(22, kSuccess, graph.run(made));
        CUDA_STEP(23, kSuccess, cuda.call<int(void*)>("cuGraphExecDestroy", made));
        // Freed by each launch of itself.
        CUDA_STEP(24, kSuccess, graph.instantiate(&made, kAutoFree));
        for (int i = 0; i < 3; ++i)
          CUDA_STEP(25, kSuccess, graph.run(made));
        CUDA_STEP(26, 64 * kMiB, graph_attribute(cuda, 1));
        // It outlives graph and executable.
        for (void* each : {made, freeing})
          CUDA_STEP(27, kSuccess, cuda.call<int(void*)>("cuGraphExecDestroy", each));
        for (void* each : {graph.graph, other.graph})
          CUDA_STEP(28, kSuccess, cuda.call<int(void*)>("cuGraphDestroy", each));
        CUDA_STEP(29, kSuccess, cuda.call<CopyFrom>("cuMemcpyDtoH_v2", static_cast<void*>(&seen), asked.address, 4));
        CUDA_STEP(30, kSuccess, cuda.call<int(Pointer)>("cuMemFree_v2", asked.address));
        CUDA_STEP(31, kSuccess, cuda.call<int(int)>("cuDeviceGraphMemTrim", 0));
        return cuda.free_memory() == before ? 0 : 32;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

// The oracle is the same work in the stream, not captured.
TEST(CudaGraphMemory, IsCaptured) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        Sum sum(bench);
        void* stream = bench.stream(kNonBlocking);
        bench.words[200] = kSuccess;
        const auto work = [&](Pointer* kept) {
          Pointer memory = 0;
          int code = cuda.call<int(Pointer*, std::size_t, void*)>("cuMemAllocAsync", &memory, 3 * kCount * 4, stream);
          code |= cuda.call<int(Pointer*, std::size_t, void*)>("cuMemAllocAsync", kept, 4096, stream);
          code |= cuda.call<int(Pointer, Pointer, std::size_t, void*)>("cuMemcpyDtoDAsync_v2", memory, sum.memory,
                                                                       3 * kCount * 4, stream);
          for (unsigned i = 0; i < 3; ++i)
            sum.at[i] = memory + i * kCount * 4;
          code |= launch(cuda, sum.function, 1, kCount, sum.parameters, nullptr, stream);
          code |= cuda.call<int(Pointer, Pointer, std::size_t, void*)>("cuMemcpyAsync", *kept, sum.at[2], kCount * 4,
                                                                       stream);
          code |= cuda.call<int(Pointer, void*)>("cuMemFreeAsync", memory, stream);
          return code;
        };
        Pointer expected = 0;
        CUDA_STEP(1, kSuccess, work(&expected));
        CUDA_STEP(2, kSuccess, bench.synchronize(stream));
        Pointer kept = 0;
        void* graph = nullptr;
        CUDA_STEP(3, kSuccess, cuda.call<int(void*, int)>("cuStreamBeginCapture_v2", stream, 0));
        CUDA_STEP(4, kSuccess, work(&kept));
        CUDA_STEP(5, kInvalidValue, cuda.call<int(Pointer, void*)>("cuMemFreeAsync", expected, stream));
        CUDA_STEP(6, kSuccess, cuda.call<int(void*, void**)>("cuStreamEndCapture", stream, &graph));
        void* made = nullptr;
        CUDA_STEP(
            7, kSuccess,
            cuda.call<int(void**, void*, unsigned long long)>("cuGraphInstantiateWithFlags", &made, graph, kAutoFree));
        for (int i = 0; i < 2; ++i) {
          CUDA_STEP(8, kSuccess, cuda.call<int(void*, void*)>("cuGraphLaunch", made, stream));
          CUDA_STEP(9, kSuccess, bench.synchronize(stream));
          unsigned char seen[2][kCount * 4];
          CUDA_STEP(10, kSuccess,
                    cuda.call<CopyFrom>("cuMemcpyDtoH_v2", static_cast<void*>(seen[0]), expected, kCount * 4));
          CUDA_STEP(11, kSuccess,
                    cuda.call<CopyFrom>("cuMemcpyDtoH_v2", static_cast<void*>(seen[1]), kept, kCount * 4));
          CUDA_STEP(12, 0, std::memcmp(seen[0], seen[1], sizeof seen[0]));
        }
        // A kernel that reaches what the graph has freed is told as a GPU tells it.
        CUDA_STEP(13, kSuccess, launch(cuda, sum.function, 1, kCount, sum.parameters, nullptr, stream));
        CUDA_STEP(14, kIllegalAddress, bench.synchronize(stream));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

// Two threads launch graphs of their own, whose memory is the same device's.
TEST(CudaGraphMemory, IsSharedByThreads) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      const StreamBench bench(cuda);
                      const std::size_t before = cuda.free_memory();
                      const auto work = [&](unsigned word) {
                        cuda.call<int(void*)>("cuCtxSetCurrent", bench.context);
                        void* stream = bench.stream(kNonBlocking);
                        for (unsigned round = 1; round <= 40; ++round) {
                          MemoryGraph graph(bench);
                          AskedMemory asked;
                          asked.bytes = kMiB;
                          void* node[4] = {};
                          graph.allocation(&node[0], asked);
                          Fill fill{asked.address, 0, word + round, 4, 64, 1};
                          graph.fill(&node[1], fill, node[0]);
                          Copy3D copy = line(bench.at(word), asked.address + 252, 4);
                          graph.copy(&node[2], copy, node[1]);
                          graph.release(&node[3], asked.address, node[2]);
                          void* made = nullptr;
                          if (graph.instantiate(&made) != kSuccess) return 1;
                          for (int i = 0; i < 5; ++i)
                            if (cuda.call<int(void*, void*)>("cuGraphLaunch", made, stream) != kSuccess) return 2;
                          if (bench.synchronize(stream) != kSuccess || bench.read(word) != word + round) return 3;
                          cuda.call<int(void*)>("cuGraphExecDestroy", made);
                          cuda.call<int(void*)>("cuGraphDestroy", graph.graph);
                        }
                        return 0;
                      };
                      int beside = 1;
                      std::thread other([&] { beside = work(500); });
                      const int here = work(700);
                      other.join();
                      cuda.call<int(int)>("cuDeviceGraphMemTrim", 0);
                      if (cuda.free_memory() != before) return 9;
                      return here + beside;
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
