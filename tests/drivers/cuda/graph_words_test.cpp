// SPDX-License-Identifier: Apache-2.0
// Nodes of words that are waited for and written: against the same operations of a stream.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/drivers/cuda/graph_bench.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr unsigned kWait = 1;
constexpr unsigned kWrite = 2;
constexpr unsigned kBarrier = 6;
constexpr unsigned kFlush = 1U << 30;

struct Operation {  // CUstreamBatchMemOpParams
  unsigned operation = kWrite;
  Pointer address = 0;
  std::uint64_t value = 0;
  unsigned flags = 0;
  Pointer alias = 0;
  std::uint64_t unused = 0;
};
static_assert(sizeof(Operation) == 48);

struct Words {  // CUDA_BATCH_MEM_OP_NODE_PARAMS
  void* context = nullptr;
  unsigned count = 0;
  Operation* operations = nullptr;
  unsigned flags = 0;
};

TEST(CudaGraphWords, AreWaitedForAndWrittenInTheirOrder) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        Graph graph(bench);
        Operation operations[4] = {{kWrite, bench.at(1), 7, 0, 0, 0},
                                   {kWait, bench.at(0), 1, 1, 0, 0},
                                   {kBarrier, 0, 0, 0, 0, 0},
                                   {kWrite, bench.at(2), 8, 0, 0, 0}};
        Words asked{bench.context, 4, operations, 0};
        void* node = nullptr;
        const auto add = [&](Words& words, void* before = nullptr) {
          return cuda.call<AddEvent>("cuGraphAddBatchMemOpNode", &node, graph.graph, &before, before != nullptr ? 1 : 0,
                                     static_cast<void*>(&words));
        };
        CUDA_STEP(1, kSuccess, add(asked));
        void* words = node;
        operations[0].value = 100;  // it was copied
        Fill fill{bench.at(3), 0, 9, 4, 1, 1};
        CUDA_STEP(2, kSuccess, graph.fill(&node, fill, words));
        void* made = graph.executable();
        void* stream = bench.stream(kNonBlocking);
        CUDA_STEP(3, kSuccess, cuda.call<int(void*, void*)>("cuGraphLaunch", made, stream));
        while (bench.read(1) != 7) {
        }
        CUDA_STEP(4, true, bench.read(2) == 0 && bench.read(3) == 0);
        bench.open(0);
        CUDA_STEP(5, kSuccess, bench.synchronize(stream));
        CUDA_STEP(6, true, bench.read(2) == 8 && bench.read(3) == 9);
        Words seen;
        CUDA_STEP(7, kSuccess, cuda.call<Ask>("cuGraphBatchMemOpNodeGetParams", words, static_cast<void*>(&seen)));
        CUDA_STEP(8, true, seen.count == 4 && seen.context == bench.context && seen.operations != operations);
        CUDA_STEP(9, true, seen.operations[0].value == 7 && seen.operations[3].address == bench.at(2));
        // In the executable: other words, values and comparisons, and nothing else.
        using Set = int(void*, void*, void*);
        operations[0] = {kWrite, bench.at(4), 70, 0, 0, 0};
        operations[1].flags = 0;
        CUDA_STEP(10, kSuccess,
                  cuda.call<Set>("cuGraphExecBatchMemOpNodeSetParams", made, words, static_cast<void*>(&asked)));
        CUDA_STEP(11, kSuccess, graph.run(made));
        CUDA_STEP(12, 70u, bench.read(4));
        const auto refuse = [&](auto change) {
          Operation other[4];
          std::memcpy(other, operations, sizeof other);
          Words wrong = asked;
          wrong.operations = other;
          change(wrong);
          return cuda.call<Set>("cuGraphExecBatchMemOpNodeSetParams", made, words, static_cast<void*>(&wrong));
        };
        CUDA_STEP(13, kInvalidValue, refuse([](Words& wrong) { wrong.count = 3; }));
        CUDA_STEP(14, kInvalidValue, refuse([](Words& wrong) { wrong.operations[0].operation = kWait; }));
        CUDA_STEP(15, kInvalidValue, refuse([](Words& wrong) { wrong.operations[1].flags |= kFlush; }));
        CUDA_STEP(16, kInvalidValue, refuse([](Words& wrong) { wrong.context = nullptr; }));
        CUDA_STEP(17, kInvalidValue, refuse([](Words& wrong) { wrong.operations[0].address = 4; }));
        CUDA_STEP(18, kInvalidValue,
                  cuda.call<Set>("cuGraphExecBatchMemOpNodeSetParams", made, node, static_cast<void*>(&asked)));
        // In the graph anything that a new node may be.
        operations[0] = {kBarrier, 0, 0, 0, 0, 0};
        asked.count = 1;
        CUDA_STEP(19, kSuccess, cuda.call<Ask>("cuGraphBatchMemOpNodeSetParams", words, static_cast<void*>(&asked)));
        for (const unsigned count : {0U, 257U, ~0U}) {
          Words wrong{bench.context, count, operations, 0};
          CUDA_STEP(20, kInvalidValue, add(wrong));
        }
        Words wrong{bench.context, 1, nullptr, 0};
        CUDA_STEP(21, kInvalidValue, add(wrong));
        wrong.operations = operations;
        wrong.flags = 1;
        CUDA_STEP(22, kInvalidValue, add(wrong));
        wrong.flags = 0;
        for (const Operation& each :
             {Operation{99, bench.at(0), 0, 0, 0, 0}, Operation{kWrite, bench.at(0) + 1, 0, 0, 0, 0},
              Operation{kWrite, 0, 0, 0, 0, 0}, Operation{kWait, bench.at(0), 0, 4, 0, 0},
              Operation{kWrite, bench.at(0), 0, 2, 0, 0}}) {
          operations[0] = each;
          CUDA_STEP(23, kInvalidValue, add(wrong));
        }
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

TEST(CudaGraphWords, AreCapturedAsOneNode) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        void* stream = bench.stream(kNonBlocking);
        Operation operations[2] = {{kWrite, bench.at(1), 3, 0, 0, 0}, {kWait, bench.at(1), 3, 1, 0, 0}};
        void* graph = nullptr;
        CUDA_STEP(1, kSuccess, cuda.call<int(void*, int)>("cuStreamBeginCapture_v2", stream, 0));
        CUDA_STEP(2, kSuccess,
                  cuda.call<int(void*, unsigned, void*, unsigned)>("cuStreamBatchMemOp_v2", stream, 2u,
                                                                   static_cast<void*>(operations), 0u));
        CUDA_STEP(3, kSuccess, bench.write(stream, 2, 4));
        CUDA_STEP(4, kSuccess, cuda.call<int(void*, void**)>("cuStreamEndCapture", stream, &graph));
        void* nodes[4] = {};
        std::size_t count = 4;
        CUDA_STEP(5, kSuccess, cuda.call<int(void*, void**, std::size_t*)>("cuGraphGetNodes", graph, nodes, &count));
        CUDA_STEP(6, 2u, count);
        Parameters seen;
        CUDA_STEP(7, kSuccess, cuda.call<Ask>("cuGraphNodeGetParams", nodes[0], static_cast<void*>(&seen)));
        Words words;
        std::memcpy(static_cast<void*>(&words), seen.of, sizeof words);
        CUDA_STEP(8, true, seen.type == 12 && words.count == 2 && words.operations[1].operation == kWait);
        Graph made(bench);
        made.graph = graph;
        CUDA_STEP(9, kSuccess, made.run(made.executable()));
        CUDA_STEP(10, true, bench.read(1) == 3 && bench.read(2) == 4);
        // Of a batch with something wrong nothing is done.
        operations[0].value = 50;
        operations[1].operation = 99;
        CUDA_STEP(11, kInvalidValue,
                  cuda.call<int(void*, unsigned, void*, unsigned)>("cuStreamBatchMemOp_v2", stream, 2u,
                                                                   static_cast<void*>(operations), 0u));
        CUDA_STEP(12, kSuccess, bench.synchronize(stream));
        CUDA_STEP(13, 3u, bench.read(1));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
