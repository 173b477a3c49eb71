// SPDX-License-Identifier: Apache-2.0
// Nodes that are added by their parameters: copies, fills, events; what they are told to be, changed to, and updated
// from another graph.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/drivers/cuda/graph_bench.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr int kUpdateFailure = 910;

// The oracle is a loop over the bytes.
TEST(CudaGraphNodes, ABoxIsCopiedByItsBytes) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        constexpr std::size_t kBytes = 4096;
        const Pointer memory = cuda.allocate(2 * kBytes);
        std::vector<unsigned char> bytes(2 * kBytes);
        for (std::size_t i = 0; i < bytes.size(); ++i)
          bytes[i] = static_cast<unsigned char>(i * 7 + i / 256);
        cuda.call<CopyTo>("cuMemcpyHtoD_v2", memory, bytes.data(), bytes.size());
        Copy3D asked;
        asked.from = {3, 1, 1, 0, 2, nullptr, memory, nullptr, nullptr, 64, 8};
        asked.to = {5, 2, 0, 0, 2, nullptr, memory + kBytes, nullptr, nullptr, 40, 10};
        asked.width = 17;
        asked.height = 5;
        asked.depth = 3;
        Graph graph(bench);
        void* node = nullptr;
        CUDA_STEP(1, kSuccess, graph.copy(&node, asked));
        CUDA_STEP(2, kSuccess, graph.run(graph.executable()));
        for (std::size_t z = 0; z < 3; ++z) {
          for (std::size_t y = 0; y < 5; ++y) {
            for (std::size_t x = 0; x < 17; ++x)
              bytes[kBytes + z * 400 + (y + 2) * 40 + x + 5] = bytes[(z + 1) * 512 + (y + 1) * 64 + x + 3];
          }
        }
        std::vector<unsigned char> seen(bytes.size());
        cuda.call<CopyFrom>("cuMemcpyDtoH_v2", seen.data(), memory, seen.size());
        CUDA_STEP(3, true, seen == bytes);
        int type = -1;
        CUDA_STEP(4, kSuccess, cuda.call<int(void*, int*)>("cuGraphNodeGetType", node, &type));
        CUDA_STEP(5, 1, type);
        Copy3D again;
        CUDA_STEP(6, kSuccess,
                  cuda.call<int(void*, void*)>("cuGraphMemcpyNodeGetParams", node, static_cast<void*>(&again)));
        CUDA_STEP(7, 0, std::memcmp(&asked.to.x, &again.to.x, 32));
        CUDA_STEP(8, asked.depth, again.depth);
        // What would leave the memory is refused, at any number of any size.
        for (std::size_t Copy3D::*member : {&Copy3D::width, &Copy3D::height, &Copy3D::depth}) {
          for (int bit = 12; bit < 64; ++bit) {
            Copy3D wrong = asked;
            wrong.*member = std::size_t{1} << bit;
            CUDA_STEP(9, kInvalidValue, graph.copy(&node, wrong));
          }
          Copy3D wrong = asked;
          wrong.*member = 0;
          CUDA_STEP(10, kInvalidValue, graph.copy(&node, wrong));
        }
        for (std::size_t End::*member : {&End::x, &End::y, &End::z, &End::pitch, &End::height}) {
          for (int bit = 13; bit < 64; ++bit) {
            Copy3D wrong = asked;
            wrong.to.*member = std::size_t{1} << bit;
            CUDA_STEP(11, kInvalidValue, graph.copy(&node, wrong));
          }
        }
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

TEST(CudaGraphNodes, FillsAreChangedInTheGraphAndInTheExecutable) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        const Pointer memory = cuda.allocate(256);
        cuda.call<int(Pointer, unsigned, std::size_t)>("cuMemsetD32_v2", memory, 0u, 64);
        Graph graph(bench);
        Fill asked;
        asked.to = memory + 4;
        asked.pitch = 16;
        asked.value = 0x1234;
        asked.bytes = 2;
        asked.width = 3;
        asked.height = 2;
        void* fill = nullptr;
        void* copy = nullptr;
        CUDA_STEP(1, kSuccess, graph.fill(&fill, asked));
        Copy3D to_host = line(bench.at(0), memory, 64);
        CUDA_STEP(2, kSuccess, graph.copy(&copy, to_host, fill));
        void* made = graph.executable();
        CUDA_STEP(3, kSuccess, graph.run(made));
        std::vector<unsigned short> expected(32);
        for (const std::size_t row : {std::size_t{2}, std::size_t{10}}) {
          for (std::size_t i = 0; i < 3; ++i)
            expected[row + i] = 0x1234;
        }
        CUDA_STEP(4, 0, std::memcmp(bench.words, expected.data(), 64));
        // In the executable, and only there.
        Fill other{memory, 0, 7, 4, 16, 1};
        using Change = int(void*, void*, void*, void*);
        CUDA_STEP(
            5, kSuccess,
            cuda.call<Change>("cuGraphExecMemsetNodeSetParams", made, fill, static_cast<void*>(&other), bench.context));
        CUDA_STEP(
            6, kInvalidValue,
            cuda.call<Change>("cuGraphExecMemsetNodeSetParams", made, copy, static_cast<void*>(&other), bench.context));
        CUDA_STEP(7, kSuccess, graph.run(made));
        CUDA_STEP(8, 7u, bench.read(0));
        CUDA_STEP(9, 7u, bench.read(15));
        Fill told_fill;
        CUDA_STEP(10, kSuccess,
                  cuda.call<int(void*, void*)>("cuGraphMemsetNodeGetParams", fill, static_cast<void*>(&told_fill)));
        CUDA_STEP(11, 0x1234u, told_fill.value);
        Copy3D shorter = line(bench.at(20), memory, 4);
        CUDA_STEP(12, kSuccess,
                  cuda.call<Change>("cuGraphExecMemcpyNodeSetParams", made, copy, static_cast<void*>(&shorter),
                                    bench.context));
        other.value = 8;
        CUDA_STEP(13, kSuccess,
                  cuda.call<int(void*, void*)>("cuGraphMemsetNodeSetParams", fill, static_cast<void*>(&other)));
        CUDA_STEP(14, kSuccess, graph.run(made));
        CUDA_STEP(15, 7u, bench.read(20));
        // The executable takes the graph's again.
        UpdateResult result;
        using Update = int(void*, void*, void*);
        CUDA_STEP(16, kSuccess,
                  cuda.call<Update>("cuGraphExecUpdate_v2", made, graph.graph, static_cast<void*>(&result)));
        CUDA_STEP(17, 0, result.result);
        CUDA_STEP(18, kSuccess, graph.run(made));
        CUDA_STEP(19, 8u, bench.read(0));
        // By the nodes of the first graph still; a graph of another shape changes nothing.
        Graph same(bench);
        void* nodes[2] = {};
        CUDA_STEP(20, kSuccess, same.fill(&nodes[0], other));
        CUDA_STEP(21, kSuccess, same.copy(&nodes[1], to_host));
        CUDA_STEP(22, kUpdateFailure,
                  cuda.call<Update>("cuGraphExecUpdate_v2", made, same.graph, static_cast<void*>(&result)));
        CUDA_STEP(23, 2, result.result);
        Graph types(bench);
        CUDA_STEP(24, kSuccess, types.copy(&nodes[0], to_host));
        CUDA_STEP(25, kSuccess, types.copy(&nodes[1], to_host, nodes[0]));
        CUDA_STEP(26, kUpdateFailure,
                  cuda.call<Update>("cuGraphExecUpdate_v2", made, types.graph, static_cast<void*>(&result)));
        CUDA_STEP(27, 3, result.result);
        other.value = 9;
        CUDA_STEP(
            28, kSuccess,
            cuda.call<Change>("cuGraphExecMemsetNodeSetParams", made, fill, static_cast<void*>(&other), bench.context));
        CUDA_STEP(29, kSuccess, graph.run(made));
        CUDA_STEP(30, 9u, bench.read(0));
        // What is gone is told by the stream.
        CUDA_STEP(31, kSuccess, cuda.call<int(Pointer)>("cuMemFree_v2", memory));
        CUDA_STEP(32, kIllegalAddress, graph.run(made));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

// A graph records an event that a stream waits for, and waits for one that a stream has yet to reach.
TEST(CudaGraphNodes, EventsOrderGraphsAndStreams) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        void* first = bench.stream(kNonBlocking);
        void* second = bench.stream(kNonBlocking);
        void* begin = bench.event();
        void* end = bench.event();
        Graph graph(bench);
        void* wait = nullptr;
        void* fill = nullptr;
        void* record = nullptr;
        CUDA_STEP(1, kInvalidHandle, graph.event("cuGraphAddEventWaitNode", &wait, bench.context));
        CUDA_STEP(2, kSuccess, graph.event("cuGraphAddEventWaitNode", &wait, begin));
        Fill asked{bench.at(3), 0, 5, 4, 1, 1};
        Parameters parameters;
        parameters.type = 2;
        std::memcpy(parameters.of, &asked, sizeof asked);
        CUDA_STEP(3, kSuccess,
                  cuda.call<int(void**, void*, void**, std::size_t, void*)>("cuGraphAddNode", &fill, graph.graph, &wait,
                                                                            1, static_cast<void*>(&parameters)));
        CUDA_STEP(4, kSuccess, graph.event("cuGraphAddEventRecordNode", &record, end, fill));
        void* seen = nullptr;
        CUDA_STEP(5, kSuccess, cuda.call<int(void*, void**)>("cuGraphEventRecordNodeGetEvent", record, &seen));
        CUDA_STEP(6, end, seen);
        CUDA_STEP(7, kInvalidValue, cuda.call<int(void*, void**)>("cuGraphEventWaitNodeGetEvent", record, &seen));
        CUDA_STEP(8, kSuccess, bench.gate(first, 0));
        CUDA_STEP(9, kSuccess, cuda.call<int(void*, void*)>("cuEventRecord", begin, first));
        CUDA_STEP(10, kSuccess, cuda.call<int(void*, void*)>("cuGraphLaunch", graph.executable(), second));
        CUDA_STEP(11, kNotReady, cuda.call<int(void*)>("cuEventQuery", end));
        CUDA_STEP(12, 0u, bench.read(3));
        bench.open(0);
        CUDA_STEP(13, kSuccess, cuda.call<int(void*)>("cuEventSynchronize", end));
        CUDA_STEP(14, 5u, bench.read(3));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

// A program that sets all grids before each launch, as tinygrad does, adds its kernels before it knows them.
TEST(CudaGraphNodes, AGridMayHaveNoBlocksUntilItsLaunch) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        Sum sum(bench);
        const KernelNode whole = sum.node();
        for (const unsigned dimension : {0u, 1u, 2u}) {
          sum.start(static_cast<float>(dimension));
          KernelNode empty = whole;
          empty.grid[dimension] = 0;
          Graph graph(bench);
          void* node = nullptr;
          CUDA_STEP(1, kSuccess, graph.kernel(&node, empty));
          void* made = graph.executable();
          CUDA_STEP(2, true, made != nullptr);
          CUDA_STEP(3, kInvalidValue, graph.run(made));
          KernelNode now = whole;
          using Change = int(void*, void*, void*);
          const char* const change = "cuGraphExecKernelNodeSetParams_v2";
          CUDA_STEP(4, kSuccess, cuda.call<Change>(change, made, node, static_cast<void*>(&now)));
          CUDA_STEP(5, kSuccess, graph.run(made));
          CUDA_STEP(6, true, sum.is_sum(static_cast<float>(dimension)));
          // Back again: refused before anything of the graph is done, unless it is left out.
          CUDA_STEP(7, kSuccess, cuda.call<Change>(change, made, node, static_cast<void*>(&empty)));
          CUDA_STEP(8, kInvalidValue, graph.run(made));
          CUDA_STEP(9, kSuccess, cuda.call<int(void*, void*, unsigned)>("cuGraphNodeSetEnabled", made, node, 0u));
          CUDA_STEP(10, kSuccess, graph.run(made));
          now.block[dimension] = 0;
          CUDA_STEP(11, kInvalidValue, graph.kernel(&node, now));
        }
        return launch(cuda, sum.function, 0, kCount, sum.parameters) == kInvalidValue ? 0 : 12;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

// A launch that is refused at its second node, whose event is gone, has asked for its first: a program that looks at
// the stream, and waits for nothing, saw it busy for ever.
TEST(CudaGraphNodes, WhatALaunchBeganIsDone) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        Graph graph(bench);
        void* const stream = bench.stream(kNonBlocking);
        void* const event = bench.event();
        Fill fill{bench.at(3), 0, 9, 4, 1, 1};
        void* first = nullptr;
        void* second = nullptr;
        CUDA_STEP(1, kSuccess, graph.fill(&first, fill));
        CUDA_STEP(2, kSuccess, graph.event("cuGraphAddEventRecordNode", &second, event, first));
        void* const made = graph.executable();
        CUDA_STEP(3, kSuccess, bench.cuda.call<int(void*)>("cuEventDestroy_v2", event));
        CUDA_STEP(4, kInvalidHandle, bench.cuda.call<int(void*, void*)>("cuGraphLaunch", made, stream));
        while (bench.query(stream) == kNotReady) {
        }
        CUDA_STEP(5, 9u, bench.read(3));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
