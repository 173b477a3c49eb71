// SPDX-License-Identifier: Apache-2.0
// Clusters of several blocks by libcuda: launches, captures, nodes and functions that ask for them, and who refuses.
#include <gtest/gtest.h>

#include "tests/drivers/cuda/graph_bench.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr int kInvalidClusterSize = 912;
constexpr unsigned kClusterAttribute = 4;
constexpr int kWidth = 11;  // attributes of a function; height and depth follow
constexpr int kLarge = 14;
constexpr unsigned kNumbers = 15;  // that each block of `places` writes

struct Given {
  unsigned id = kClusterAttribute;
  unsigned unused = 0;
  unsigned words[16] = {};
};
struct Config {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared;
  void* stream;
  Given* attributes;
  unsigned count;
};

// `places` of clusters.ptx, over eight blocks.
struct Places {
  explicit Places(const StreamBench& of) : bench(of), cuda(of.cuda) {
    function = kernel(cuda, ptx("clusters.ptx"), "places");
    out = bench.at(0);
  }
  int launch(unsigned size, void* stream = nullptr) {
    Given given;
    for (unsigned i = 0; i < 3; ++i)
      given.words[i] = i == 0 ? size : 1;
    const Config config{{8, 1, 1}, {32, 1, 1}, 0, stream, &given, size == 0 ? 0U : 1U};
    return cuda.call<int(const Config*, void*, void**, void**)>("cuLaunchKernelEx", &config, function, parameters,
                                                                static_cast<void**>(nullptr));
  }
  int set(int attribute, int value) const {
    return cuda.call<int(void*, int, int)>("cuFuncSetAttribute", function, attribute, value);
  }
  int get(int attribute) const {
    int value = -1;
    cuda.call<int(int*, int, void*)>("cuFuncGetAttribute", &value, attribute, function);
    return value;
  }
  // How many blocks were together when the last of them ran; 0: it did not run.
  unsigned together() const {
    const unsigned size = bench.read(7 * kNumbers + 13);
    const bool right = bench.read(7 * kNumbers + 12) == 7 % (size == 0 ? 1 : size);
    for (unsigned i = 0; i < 8 * kNumbers; ++i)
      bench.words[i] = 0;
    return right ? size : ~0U;
  }
  int occupancy(const char* name, unsigned size, int* number) const {
    Given given;
    given.words[0] = size;
    given.words[1] = given.words[2] = 1;
    const Config config{{8, 1, 1}, {64, 1, 1}, 0, nullptr, &given, size == 0 ? 0U : 1U};
    return cuda.call<int(int*, void*, const Config*)>(name, number, function, &config);
  }

  const StreamBench& bench;
  const Cuda& cuda;
  void* function = nullptr;
  Pointer out = 0;
  void* parameters[1] = {&out};
};

void on_hopper(int (*work)(const StreamBench&), std::string* told) {
  *told = in_cuda({{"NVMLAB_PROFILE", "dgx-h100"}}, [&](const Cuda& cuda) { return on_bench(cuda, work); });
}

TEST(CudaClusters, AreLaunched) {
  std::string told;
  on_hopper(
      [](const StreamBench& bench) {
        Places places(bench);
        for (const unsigned size : {1U, 2U, 4U, 8U}) {
          CUDA_STEP(1, kSuccess, places.launch(size));
          CUDA_STEP(2, kSuccess, bench.synchronize(nullptr));
          CUDA_STEP(3, size, places.together());
        }
        CUDA_STEP(4, kInvalidClusterSize, places.launch(3));
        CUDA_STEP(5, kInvalidClusterSize, places.launch(16));
        CUDA_STEP(6, kInvalidClusterSize, places.launch(1U << 20));
        CUDA_STEP(7, 0u, places.together());
        // Sixteen where the function allows what not every GPU has; the grid has eight.
        CUDA_STEP(8, true, places.get(kLarge) == 0 && places.set(kLarge, 2) == kInvalidValue);
        CUDA_STEP(9, kSuccess, places.set(kLarge, 1));
        int size = 0;
        CUDA_STEP(10, kSuccess, places.occupancy("cuOccupancyMaxPotentialClusterSize", 0, &size));
        CUDA_STEP(11, true, size == 16 && places.get(kLarge) == 1);
        CUDA_STEP(12, kInvalidClusterSize, places.launch(16));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

TEST(CudaClusters, AreOfTheFunction) {
  std::string told;
  on_hopper(
      [](const StreamBench& bench) {
        Places places(bench);
        CUDA_STEP(1, kInvalidValue, places.set(kWidth, -1));
        CUDA_STEP(2, kSuccess, places.set(kWidth, 4));
        CUDA_STEP(3, kInvalidClusterSize, places.launch(0));  // all three, or none
        CUDA_STEP(4, true, places.set(kWidth + 1, 1) == kSuccess && places.set(kWidth + 2, 1) == kSuccess);
        CUDA_STEP(5, kSuccess, places.launch(0));
        CUDA_STEP(6, kSuccess, bench.synchronize(nullptr));
        CUDA_STEP(7, 4u, places.together());
        CUDA_STEP(8, 4, places.get(kWidth));
        places.function = kernel(bench.cuda, ptx("clusters.ptx"), "declared");
        CUDA_STEP(9, true, places.get(kWidth) == 2 && places.get(kWidth + 1) == 1);
        CUDA_STEP(10, kNotPermitted, places.set(kWidth, 4));
        CUDA_STEP(11, kSuccess, places.launch(2));
        CUDA_STEP(12, kInvalidClusterSize, places.launch(4));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

TEST(CudaClusters, AreOfNodes) {
  std::string told;
  on_hopper(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        Places places(bench);
        void* const stream = bench.stream(kNonBlocking);
        Graph graph(bench);
        CUDA_STEP(1, kSuccess, cuda.call<int(void*, int)>("cuStreamBeginCapture_v2", stream, 2));
        CUDA_STEP(2, kSuccess, places.launch(4, stream));
        CUDA_STEP(3, kSuccess, cuda.call<int(void*, void**)>("cuStreamEndCapture", stream, &graph.graph));
        CUDA_STEP(4, kSuccess, graph.run(graph.executable()));
        CUDA_STEP(5, 4u, places.together());
        void* node = nullptr;
        std::size_t count = 1;
        CUDA_STEP(6, kSuccess,
                  cuda.call<int(void*, void**, std::size_t*)>("cuGraphGetNodes", graph.graph, &node, &count));
        Attribute cluster;
        CUDA_STEP(7, kSuccess, cuda.call<GetAttribute>("cuGraphKernelNodeGetAttribute", node, 4, &cluster));
        CUDA_STEP(8, true, cluster.dimensions[0] == 4 && cluster.dimensions[1] == 1);
        cluster.dimensions[0] = 2;
        CUDA_STEP(9, kSuccess, cuda.call<SetAttribute>("cuGraphKernelNodeSetAttribute", node, 4, &cluster));
        CUDA_STEP(10, kSuccess, graph.run(graph.executable()));
        CUDA_STEP(11, 2u, places.together());
        // Other parameters leave the cluster, which must go with the grid.
        KernelNode asked;
        asked.function = places.function;
        asked.parameters = places.parameters;
        asked.grid[0] = 8;
        CUDA_STEP(12, kSuccess, cuda.call<Ask>("cuGraphKernelNodeSetParams_v2", node, static_cast<void*>(&asked)));
        CUDA_STEP(13, kSuccess, graph.run(graph.executable()));
        CUDA_STEP(14, 2u, places.together());
        asked.grid[0] = 7;
        CUDA_STEP(15, kInvalidClusterSize,
                  cuda.call<Ask>("cuGraphKernelNodeSetParams_v2", node, static_cast<void*>(&asked)));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

TEST(CudaClusters, AreCountedByOccupancy) {
  std::string told;
  on_hopper(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        const Places places(bench);
        int number = 0;
        int blocks = 0;
        CUDA_STEP(1, kSuccess, places.occupancy("cuOccupancyMaxPotentialClusterSize", 0, &number));
        CUDA_STEP(2, 8, number);
        CUDA_STEP(3, kSuccess,
                  cuda.call<int(int*, void*, int, std::size_t)>("cuOccupancyMaxActiveBlocksPerMultiprocessor", &blocks,
                                                                places.function, 64, std::size_t{0}));
        for (const unsigned size : {0U, 1U, 2U, 8U}) {
          CUDA_STEP(4, kSuccess, places.occupancy("cuOccupancyMaxActiveClusters", size, &number));
          CUDA_STEP(5, blocks * cuda.attribute(16, 0) / static_cast<int>(size == 0 ? 1 : size), number);
        }
        CUDA_STEP(6, kInvalidClusterSize, places.occupancy("cuOccupancyMaxActiveClusters", 17, &number));
        Config config{{8, 1, 1}, {64, 1U << 31, 1}, 0, nullptr, nullptr, 0};
        using Ask = int(int*, void*, const Config*);
        CUDA_STEP(7, kInvalidValue, cuda.call<Ask>("cuOccupancyMaxActiveClusters", &number, places.function, &config));
        config.block[1] = 1;
        for (const char* name : {"cuOccupancyMaxActiveClusters", "cuOccupancyMaxPotentialClusterSize"}) {
          CUDA_STEP(8, kInvalidValue, cuda.call<Ask>(name, nullptr, places.function, &config));
          CUDA_STEP(9, kInvalidValue, cuda.call<Ask>(name, &number, places.function, nullptr));
          CUDA_STEP(10, kInvalidHandle, cuda.call<Ask>(name, &number, nullptr, &config));
        }
        // A shape of which one side is known alone, and one whose blocks are more than a number holds.
        using Set = int(void*, int, int);
        CUDA_STEP(11, kSuccess, cuda.call<Set>("cuFuncSetAttribute", places.function, 11, 4));
        CUDA_STEP(12, kInvalidClusterSize,
                  cuda.call<Ask>("cuOccupancyMaxActiveClusters", &number, places.function, &config));
        for (const int side : {11, 12, 13})
          CUDA_STEP(13, kSuccess, cuda.call<Set>("cuFuncSetAttribute", places.function, side, 1 << 30));
        CUDA_STEP(14, kInvalidClusterSize,
                  cuda.call<Ask>("cuOccupancyMaxActiveClusters", &number, places.function, &config));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

// An A100 has none, and takes a cluster of one block as any GPU does.
TEST(CudaClusters, BeginWithHopper) {
  EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", "dgx-a100"}},
                    [](const Cuda& cuda) {
                      return on_bench(cuda, [](const StreamBench& bench) {
                        Places places(bench);
                        places.function = kernel(bench.cuda, ptx("vector_add.ptx"), "vector_add");
                        void* none[4] = {&places.out, &places.out, &places.out, &places.out};
                        Given given;
                        given.words[0] = given.words[1] = given.words[2] = 1;
                        const Config config{{8, 1, 1}, {0, 1, 1}, 0, nullptr, &given, 1};
                        int number = 0;
                        CUDA_STEP(1, kSuccess, places.occupancy("cuOccupancyMaxPotentialClusterSize", 0, &number));
                        CUDA_STEP(2, 1, number);
                        using LaunchEx = int(const Config*, void*, void**, void**);
                        const auto launch = [&](unsigned size) {
                          given.words[0] = size;
                          Config asked = config;
                          asked.block[0] = 1;
                          unsigned count = 0;
                          none[3] = &count;
                          return bench.cuda.call<LaunchEx>("cuLaunchKernelEx", &asked, places.function, none,
                                                           static_cast<void**>(nullptr));
                        };
                        CUDA_STEP(3, kSuccess, launch(1));
                        CUDA_STEP(4, kInvalidClusterSize, launch(2));
                        return 0;
                      });
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
