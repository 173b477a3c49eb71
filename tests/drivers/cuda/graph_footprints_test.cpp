// SPDX-License-Identifier: Apache-2.0
// What memory of a device graphs take: the numbers that NVIDIA's sample graphMemoryFootprint explains, and sums made by
// hand for graphs that have several allocations at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/drivers/cuda/graph_bench.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr std::size_t kBytes = 64 * kMiB;

// As programs see it: what is used, and what a trim leaves of it.
std::size_t used(const Cuda& cuda) { return graph_attribute(cuda, 0) / kMiB; }
std::size_t after_trim(const Cuda& cuda) {
  cuda.call<int(int)>("cuDeviceGraphMemTrim", 0);
  return used(cuda);
}
int destroy(const Cuda& cuda, void* made) { return cuda.call<int(void*)>("cuGraphExecDestroy", made); }
int begin(const Cuda& cuda, void* made, void* stream) {
  return cuda.call<int(void*, void*)>("cuGraphLaunch", made, stream);
}

// A graph of one allocation, filled and, if wanted, freed.
struct One {
  One(const StreamBench& bench, bool freed) {
    MemoryGraph graph(bench);
    void* node[3] = {};
    graph.allocation(&node[0], asked);
    Fill fill{asked.address, 0, 7, 4, 4, 1};
    graph.fill(&node[1], fill, node[0]);
    if (freed) graph.release(&node[2], asked.address, node[1]);
    graph.instantiate(&made);
    bench.cuda.call<int(void*)>("cuGraphDestroy", graph.graph);
  }
  AskedMemory asked;
  void* made = nullptr;
};

std::vector<One> several(const StreamBench& bench, bool freed) {
  std::vector<One> all;
  for (int i = 0; i < 4; ++i)
    all.emplace_back(bench, freed);
  return all;
}

TEST(CudaGraphFootprints, AreTheMostThatALaunchHasAtOnce) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        const std::size_t before = cuda.free_memory();
        // 64; 64 and 32; 32 and 16: 96 at once, of 176.
        const std::size_t sizes[] = {64, 64, 32, 16};
        MemoryGraph graph(bench);
        void* last = nullptr;
        Pointer at[4] = {};
        const auto allocate = [&](int which) {
          AskedMemory asked;
          asked.bytes = sizes[which] * kMiB;
          const int code = graph.allocation(&last, asked, last);
          at[which] = asked.address;
          return code;
        };
        CUDA_STEP(1, kSuccess, allocate(0));
        CUDA_STEP(2, kSuccess, graph.release(&last, at[0], last));
        CUDA_STEP(3, kSuccess, allocate(1));
        CUDA_STEP(4, kSuccess, allocate(2));
        CUDA_STEP(5, kSuccess, graph.release(&last, at[1], last));
        CUDA_STEP(6, kSuccess, allocate(3));
        CUDA_STEP(7, kSuccess, graph.release(&last, at[2], last));
        CUDA_STEP(8, kSuccess, graph.release(&last, at[3], last));
        void* made = nullptr;
        CUDA_STEP(9, kSuccess, graph.instantiate(&made));
        CUDA_STEP(10, 0u, used(cuda));
        for (int i = 0; i < 3; ++i)
          CUDA_STEP(11, kSuccess, graph.run(made));
        CUDA_STEP(12, 96u, used(cuda));
        CUDA_STEP(13, true, graph_attribute(cuda, 1) == 96 * kMiB && graph_attribute(cuda, 2) == 96 * kMiB);
        CUDA_STEP(14, before - 96 * kMiB, cuda.free_memory());
        // Without the executable graph it is kept, and used by nothing.
        CUDA_STEP(15, kSuccess, destroy(cuda, made));
        CUDA_STEP(16, true, used(cuda) == 0 && graph_attribute(cuda, 2) == 96 * kMiB);
        CUDA_STEP(17, 0u, after_trim(cuda));
        return cuda.free_memory() == before ? 0 : 18;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

TEST(CudaGraphFootprints, AreSharedByLaunchesThatDoNotMeet) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        void* stream = bench.stream(kNonBlocking);
        const std::vector<One> graphs = several(bench, true);
        CUDA_STEP(1, 0u, used(cuda));
        CUDA_STEP(2, kSuccess, bench.gate(stream, 0));
        for (const One& each : graphs) {
          CUDA_STEP(3, kSuccess, begin(cuda, each.made, stream));
          CUDA_STEP(4, 64u, used(cuda));
        }
        CUDA_STEP(5, 64u, after_trim(cuda));  // it is in use
        bench.open(0);
        CUDA_STEP(6, kSuccess, bench.synchronize(stream));
        CUDA_STEP(7, 64u, used(cuda));
        CUDA_STEP(8, 0u, after_trim(cuda));
        // Side by side each has its own, until one has ended.
        std::vector<void*> streams;
        for (std::size_t i = 0; i < graphs.size(); ++i) {
          streams.push_back(bench.stream(kNonBlocking));
          CUDA_STEP(9, kSuccess, bench.gate(streams[i], static_cast<unsigned>(i) + 1));
          CUDA_STEP(10, kSuccess, begin(cuda, graphs[i].made, streams[i]));
          CUDA_STEP(11, 64 * (i + 1), used(cuda));
        }
        for (std::size_t i = 0; i < graphs.size(); ++i) {
          bench.open(static_cast<unsigned>(i) + 1);
          CUDA_STEP(12, kSuccess, bench.synchronize(streams[i]));
        }
        const One other(bench, true);
        CUDA_STEP(13, kSuccess, begin(cuda, other.made, streams[0]));
        CUDA_STEP(14, kSuccess, bench.synchronize(streams[0]));
        CUDA_STEP(15, 64 * graphs.size(), used(cuda));
        for (const One& each : graphs)
          CUDA_STEP(16, kSuccess, destroy(cuda, each.made));
        CUDA_STEP(17, 64u, used(cuda));  // the other's
        CUDA_STEP(18, kSuccess, destroy(cuda, other.made));
        return used(cuda) == 0 && after_trim(cuda) == 0 && graph_attribute(cuda, 2) == 0 ? 0 : 19;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

TEST(CudaGraphFootprints, AreHeldByWhatIsNotFreed) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        const std::size_t before = cuda.free_memory();
        const std::vector<One> graphs = several(bench, false);
        std::size_t expected = 0;
        for (const One& each : graphs) {
          CUDA_STEP(1, kSuccess, begin(cuda, each.made, nullptr));
          expected += kBytes / kMiB;
          CUDA_STEP(2, expected, used(cuda));
        }
        CUDA_STEP(3, kSuccess, bench.synchronize(nullptr));
        CUDA_STEP(4, expected, after_trim(cuda));
        for (const One& each : graphs)
          CUDA_STEP(5, kSuccess, cuda.call<int(Pointer)>("cuMemFree_v2", each.asked.address));
        CUDA_STEP(6, expected, used(cuda));
        // Again, of what was freed; then all of it goes, though the executable graphs stay.
        CUDA_STEP(7, kSuccess, begin(cuda, graphs[0].made, nullptr));
        CUDA_STEP(8, kSuccess, bench.synchronize(nullptr));
        CUDA_STEP(9, expected, used(cuda));
        CUDA_STEP(10, 64u, after_trim(cuda));
        CUDA_STEP(11, kSuccess, destroy(cuda, graphs[0].made));
        CUDA_STEP(12, 64u, used(cuda));
        CUDA_STEP(13, kSuccess, cuda.call<int(Pointer)>("cuMemFree_v2", graphs[0].asked.address));
        return after_trim(cuda) == 0 && cuda.free_memory() == before ? 0 : 14;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

// Graphs are made, launched in streams that wait, freed, trimmed and destroyed in any order: what is used is never less
// than what lives, nor more than what is reserved, and nothing is left.
TEST(CudaGraphFootprints, LeaveNothingBehindInAnyOrder) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        const std::size_t before = cuda.free_memory();
        std::minstd_rand random(17);
        const auto chance = [&random](std::size_t of) { return static_cast<std::size_t>(random() >> 8) % of; };
        std::vector<void*> streams = {bench.stream(kNonBlocking), bench.stream(kNonBlocking), nullptr};
        std::vector<One> graphs;
        std::vector<bool> freed_itself;
        struct Alive {  // freed behind the launch that made it
          Pointer address;
          void* stream;
        };
        std::vector<Alive> alive;
        for (int round = 0; round < 600; ++round) {
          const std::size_t what = chance(10);
          if (graphs.empty() || (what == 0 && graphs.size() < 12)) {
            freed_itself.push_back(chance(2) == 0);
            graphs.emplace_back(bench, freed_itself.back());
          } else if (what < 6) {
            const std::size_t which = chance(graphs.size());
            const One& graph = graphs[which];
            const bool lives = std::ranges::count(alive, graph.asked.address, &Alive::address) != 0;
            void* stream = streams[chance(3)];
            CUDA_STEP(1, lives ? kInvalidValue : kSuccess, begin(cuda, graph.made, stream));
            if (!lives && !freed_itself[which]) alive.push_back({graph.asked.address, stream});
          } else if (what == 6 && !alive.empty()) {
            const std::size_t which = chance(alive.size());
            CUDA_STEP(2, kSuccess,
                      cuda.call<int(Pointer, void*)>("cuMemFreeAsync", alive[which].address, alive[which].stream));
            alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(which));
          } else if (what == 7) {
            const std::size_t which = chance(graphs.size());
            CUDA_STEP(3, kSuccess, destroy(cuda, graphs[which].made));
            graphs.erase(graphs.begin() + static_cast<std::ptrdiff_t>(which));
            freed_itself.erase(freed_itself.begin() + static_cast<std::ptrdiff_t>(which));
          } else if (what == 8) {
            cuda.call<int(int)>("cuDeviceGraphMemTrim", 0);
          } else {
            CUDA_STEP(4, kSuccess, bench.synchronize(streams[chance(3)]));
          }
          CUDA_STEP(5, true, graph_attribute(cuda, 0) >= alive.size() * kBytes);
          CUDA_STEP(6, true, graph_attribute(cuda, 0) <= graph_attribute(cuda, 2));
          CUDA_STEP(7, before - graph_attribute(cuda, 2), cuda.free_memory());
        }
        for (const One& each : graphs)
          CUDA_STEP(8, kSuccess, destroy(cuda, each.made));
        for (const Alive& each : alive)
          CUDA_STEP(9, kSuccess, cuda.call<int(Pointer)>("cuMemFree_v2", each.address));
        CUDA_STEP(10, kSuccess, cuda.call<int()>("cuCtxSynchronize"));
        return after_trim(cuda) == 0 && cuda.free_memory() == before ? 0 : 11;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
