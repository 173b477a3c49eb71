// SPDX-License-Identifier: Apache-2.0
// Memory through libcudart: allocations, copies of all kinds, fills, what pointers are, streams and events.
#include <gtest/gtest.h>

#include <vector>

#include "tests/drivers/cudart/cudart.hpp"

namespace nvmlab::cudart_test {
namespace {

using Copy2D = int(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, int);

struct PointerFacts {
  int type, device;
  void* on_device;
  void* on_host;
  long since_13[8];
};

struct Box {
  void* data;
  std::size_t pitch, width, height;
};
struct Extent {
  std::size_t width, height, depth;
};
struct Copy3D {
  void* from_array;
  Extent from_at;
  Box from;
  void* to_array;
  Extent to_at;
  Box to;
  Extent extent;
  int kind;
};

TEST(CudartMemory, IsCopiedAndFilled) {
  EXPECT_EQ(in_runtime(12,
                       [](const Cudart& runtime) {
                         std::vector<int> host = {1, 2, 3, 4};
                         std::vector<int> back(4);
                         void* const first = runtime.allocate(16);
                         void* const second = runtime.allocate(16);
                         CUDA_STEP(1, kSuccess, runtime.copy(first, host.data(), 16, kToDevice));
                         CUDA_STEP(2, kSuccess, runtime.copy(second, first, 16, kWithinDevice));
                         CUDA_STEP(3, kSuccess, runtime.call<int(void*, int, std::size_t)>("cudaMemset", second, 0, 4));
                         CUDA_STEP(4, kSuccess, runtime.copy(back.data(), second, 16, kByAddress));
                         CUDA_STEP(5, true, back == std::vector<int>({0, 2, 3, 4}));
                         CUDA_STEP(6, kSuccess, runtime.copy(back.data(), host.data(), 16, 0));
                         CUDA_STEP(7, true, back == host);
                         CUDA_STEP(8, kInvalidDirection, runtime.copy(first, host.data(), 16, 7));
                         CUDA_STEP(9, kInvalidValue, runtime.copy(first, host.data(), 4096 * 1024, kToDevice));
                         CUDA_STEP(10, kSuccess, runtime.copy(nullptr, nullptr, 0, kToDevice));
                         CUDA_STEP(11, kInvalidValue, runtime.copy(nullptr, host.data(), 4, kToDevice));
                         CUDA_STEP(12, kSuccess, runtime.call<int(void*)>("cudaFree", first));
                         CUDA_STEP(13, kInvalidValue, runtime.call<int(void*)>("cudaFree", first));
                         CUDA_STEP(14, kSuccess, runtime.call<int(void*)>("cudaFree", nullptr));
                         void* too_much = nullptr;
                         CUDA_STEP(
                             15, kOutOfMemory,
                             runtime.call<int(void**, std::size_t)>("cudaMalloc", &too_much, std::size_t{1} << 50));
                         return 0;
                       }),
            "exit 0");
}

TEST(CudartMemory, InRowsAndPlanes) {
  EXPECT_EQ(
      in_runtime(
          13,
          [](const Cudart& runtime) {
            Box box{};
            using Malloc3D = int(Box*, Extent);
            CUDA_STEP(1, kSuccess, runtime.call<Malloc3D>("cudaMalloc3D", &box, Extent{10, 3, 2}));
            CUDA_STEP(2, true, box.pitch >= 10 && box.height == 3);
            std::vector<char> host(60);
            for (std::size_t i = 0; i < host.size(); ++i)
              host[i] = static_cast<char>(i);
            Copy3D copy{};
            copy.from = {host.data(), 10, 10, 3};
            copy.to = box;
            copy.extent = {10, 3, 2};
            copy.kind = kToDevice;
            CUDA_STEP(3, kSuccess, runtime.call<int(const Copy3D*)>("cudaMemcpy3D", &copy));
            std::vector<char> back(60);
            CUDA_STEP(4, kSuccess,
                      runtime.call<Copy2D>("cudaMemcpy2D", back.data(), 10UL, box.data, box.pitch, 10UL, 6UL, kToHost));
            CUDA_STEP(5, true, back == host);
            using Fill3D = int(Box, int, Extent);
            CUDA_STEP(6, kSuccess, runtime.call<Fill3D>("cudaMemset3D", box, 9, Extent{10, 3, 2}));
            runtime.call<Copy2D>("cudaMemcpy2D", back.data(), 10UL, box.data, box.pitch, 10UL, 6UL, kToHost);
            CUDA_STEP(7, true, back == std::vector<char>(60, 9));
            CUDA_STEP(8, kInvalidPitch,
                      runtime.call<Copy2D>("cudaMemcpy2D", back.data(), 5UL, box.data, box.pitch, 10UL, 6UL, kToHost));
            copy.from_array = &box;
            CUDA_STEP(9, kInvalidHandle, runtime.call<int(const Copy3D*)>("cudaMemcpy3D", &copy));
            return 0;
          }),
      "exit 0");
}

TEST(CudartMemory, FillsOfBoxesAreOneNodeOfACapture) {
  EXPECT_EQ(
      in_runtime(
          12,
          [](const Cudart& runtime) {
            Box box{};
            runtime.call<int(Box*, Extent)>("cudaMalloc3D", &box, Extent{10, 4, 3});
            void* stream = nullptr;
            void* graph = nullptr;
            std::size_t count = 0;
            using Fill = int(Box, int, Extent, void*);
            const auto nodes = [&](Extent extent) {
              runtime.call<int(void*, int)>("cudaStreamBeginCapture", stream, 0);
              runtime.call<Fill>("cudaMemset3DAsync", box, 7, extent, stream);
              runtime.call<int(void*, void**)>("cudaStreamEndCapture", stream, &graph);
              runtime.call<int(void*, void**, std::size_t*)>("cudaGraphGetNodes", graph, nullptr, &count);
              return count;
            };
            CUDA_STEP(1, kSuccess, runtime.call<int(void**)>("cudaStreamCreate", &stream));
            CUDA_STEP(2, 1UL, nodes({10, 4, 3}));
            CUDA_STEP(3, 3UL, nodes({10, 3, 3}));  // a row of each plane is left out
            CUDA_STEP(4, kInvalidValue, runtime.call<Fill>("cudaMemset3DAsync", box, 7, Extent{~0UL, 4, 3}, stream));
            return 0;
          }),
      "exit 0");
}

TEST(CudartMemory, PointersTellWhatTheyAre) {
  for (const int major : {12, 13}) {
    EXPECT_EQ(in_runtime(major,
                         [major](const Cudart& runtime) {
                           using Ask = int(PointerFacts*, const void*);
                           PointerFacts facts{};
                           facts.since_13[7] = 7;
                           runtime.set_device(2);
                           void* const device = runtime.allocate(64);
                           CUDA_STEP(1, kSuccess, runtime.call<Ask>("cudaPointerGetAttributes", &facts, device));
                           CUDA_STEP(2, true, facts.type == 2 && facts.device == 2 && facts.on_device == device);
                           CUDA_STEP(3, major == 12 ? 7 : 0, facts.since_13[7]);  // a program of 12 has no room for it
                           void* managed = nullptr;
                           runtime.call<int(void**, std::size_t, unsigned)>("cudaMallocManaged", &managed, 64UL, 1u);
                           runtime.call<Ask>("cudaPointerGetAttributes", &facts, managed);
                           CUDA_STEP(4, 3, facts.type);
                           static_cast<int*>(managed)[0] = 5;  // the host reaches it
                           void* pinned = nullptr;
                           runtime.call<int(void**, std::size_t)>("cudaMallocHost", &pinned, 64UL);
                           runtime.call<Ask>("cudaPointerGetAttributes", &facts, pinned);
                           CUDA_STEP(5, true, facts.type == 1 && facts.on_host == pinned);
                           runtime.call<Ask>("cudaPointerGetAttributes", &facts, &major);
                           CUDA_STEP(6, true, facts.type == 0 && facts.on_device == nullptr);
                           return runtime.call<int(void*)>("cudaFreeHost", pinned);
                         }),
              "exit 0");
  }
}

TEST(CudartMemory, StreamsAndEvents) {
  EXPECT_EQ(in_runtime(12,
                       [](const Cudart& runtime) {
                         void* stream = nullptr;
                         void* begin = nullptr;
                         void* end = nullptr;
                         CUDA_STEP(1, kSuccess, runtime.call<int(void**)>("cudaStreamCreate", &stream));
                         CUDA_STEP(2, kSuccess, runtime.call<int(void**)>("cudaEventCreate", &begin));
                         CUDA_STEP(3, kSuccess, runtime.call<int(void**)>("cudaEventCreate", &end));
                         CUDA_STEP(4, kSuccess, runtime.call<int(void*, void*)>("cudaEventRecord", begin, stream));
                         void* const memory = runtime.allocate(1 << 20);
                         CUDA_STEP(5, kSuccess,
                                   runtime.call<int(void*, int, std::size_t, void*)>("cudaMemsetAsync_ptsz", memory, 1,
                                                                                     1UL << 20, nullptr));
                         CUDA_STEP(6, kSuccess, runtime.call<int(void*, void*)>("cudaEventRecord", end, stream));
                         CUDA_STEP(7, kSuccess, runtime.call<int(void*)>("cudaStreamSynchronize", stream));
                         CUDA_STEP(8, kSuccess, runtime.call<int(void*)>("cudaEventSynchronize", end));
                         float time = -1;
                         using Elapsed = int(float*, void*, void*);
                         CUDA_STEP(9, kSuccess, runtime.call<Elapsed>("cudaEventElapsedTime", &time, begin, end));
                         CUDA_STEP(10, true, time >= 0);
                         CUDA_STEP(11, kSuccess, runtime.call<int(void*)>("cudaStreamDestroy", stream));
                         return runtime.call<int()>("cudaDeviceSynchronize");
                       }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cudart_test
