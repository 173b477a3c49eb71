// SPDX-License-Identifier: Apache-2.0
// Rows that are filled, and boxes that are copied between contexts, against loops.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/drivers/cuda/stream_bench.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr std::size_t kBytes = 1 << 16;
using Bytes = std::vector<unsigned char>;

Bytes told(const Cuda& cuda, Pointer at) {
  Bytes all(kBytes);
  cuda.call<CopyFrom>("cuMemcpyDtoH_v2", all.data(), at, kBytes);
  return all;
}

struct Rows {
  std::size_t pitch, width, height;  // elements of a row
  unsigned value;
};

int fill(const Cuda& cuda, unsigned bytes, Pointer at, const Rows& of, void* stream, bool later) {
  using Fill = int(Pointer, std::size_t, unsigned, std::size_t, std::size_t);
  using FillLater = int(Pointer, std::size_t, unsigned, std::size_t, std::size_t, void*);
  const std::string name = "cuMemsetD2D" + std::to_string(8 * bytes);
  return later ? cuda.call<FillLater>((name + "Async").c_str(), at, of.pitch, of.value, of.width, of.height, stream)
               : cuda.call<Fill>((name + "_v2").c_str(), at, of.pitch, of.value, of.width, of.height);
}

void fill_plainly(Bytes& all, std::size_t at, unsigned bytes, const Rows& of) {
  for (std::size_t row = 0; row < of.height; ++row)
    for (std::size_t i = 0; i < of.width; ++i)
      for (unsigned byte = 0; byte < bytes; ++byte)
        all[at + row * of.pitch + i * bytes + byte] = static_cast<unsigned char>(of.value >> 8 * byte);
}

int fills(const StreamBench& bench) {
  const Cuda& cuda = bench.cuda;
  const Pointer memory = cuda.allocate(kBytes);
  void* stream = bench.stream();
  Bytes expected(kBytes, 0);
  std::mt19937 random(7);
  for (int i = 0; i < 400; ++i) {
    const unsigned bytes = 1u << random() % 3;
    const std::size_t height = random() % 20;
    const std::size_t width = random() % 100;
    const std::size_t pitch = (width + random() % 40) * bytes;
    const std::size_t at = random() % 1000 * bytes;
    const Rows rows{pitch, width, height, static_cast<unsigned>(random()) >> (32 - 8 * bytes)};
    const bool later = random() % 2 == 0;
    CUDA_STEP(1, kSuccess, fill(cuda, bytes, memory + at, rows, stream, later));
    CUDA_STEP(2, kSuccess, bench.synchronize(stream));
    fill_plainly(expected, at, bytes, rows);
  }
  CUDA_STEP(3, true, told(cuda, memory) == expected);
  // Not in a row, not aligned, out of bounds.
  for (const bool later : {false, true}) {
    CUDA_STEP(4, kInvalidValue, fill(cuda, 4, memory, {8, 4, 2, 1}, stream, later));
    CUDA_STEP(5, kInvalidValue, fill(cuda, 4, memory + 2, {16, 4, 2, 1}, stream, later));
    CUDA_STEP(6, kInvalidValue, fill(cuda, 2, memory, {17, 4, 2, 1}, stream, later));
    CUDA_STEP(7, kInvalidValue, fill(cuda, 1, memory + kBytes - 10, {5, 5, 3, 1}, stream, later));
    CUDA_STEP(8, kInvalidValue, fill(cuda, 1, 0, {5, 5, 3, 1}, stream, later));
    for (const std::size_t huge : {~std::size_t{0}, std::size_t{1} << 62, std::size_t{1} << 40}) {
      CUDA_STEP(9, kInvalidValue, fill(cuda, 1, memory, {huge, 5, 3, 1}, stream, later));
      CUDA_STEP(10, kInvalidValue, fill(cuda, 4, memory, {huge, huge, 3, 1}, stream, later));
      CUDA_STEP(11, kInvalidValue, fill(cuda, 1, memory, {5, 5, huge, 1}, stream, later));
    }
  }
  CUDA_STEP(12, true, told(cuda, memory) == expected);
  return 0;
}

TEST(CudaRows, AreFilledAsALoopFillsThem) {
  EXPECT_EQ(in_cuda({}, [](const Cuda& cuda) { return on_bench(cuda, fills); }), "exit 0");
}

struct PeerCopy {  // CUDA_MEMCPY3D_PEER
  struct End {
    std::size_t x, y, z, level;
    int type;
    void* host;
    Pointer device;
    void* array;
    void* context;
    std::size_t pitch, height;
  } from, to;
  std::size_t width, height, depth;
};
static_assert(sizeof(PeerCopy) == 200);

int peers(const StreamBench& bench) {
  const Cuda& cuda = bench.cuda;
  void* const other = cuda.context(1);
  const Pointer there = cuda.allocate(kBytes);
  cuda.call<int(void*)>("cuCtxSetCurrent", bench.context);
  const Pointer here = cuda.allocate(kBytes);
  Bytes bytes(kBytes);
  std::mt19937 random(3);
  for (unsigned char& each : bytes)
    each = static_cast<unsigned char>(random());
  Bytes expected(kBytes, 0);
  CUDA_STEP(1, kSuccess, cuda.call<CopyTo>("cuMemcpyHtoD_v2", there, bytes.data(), kBytes));
  void* stream = bench.stream();
  for (int i = 0; i < 200; ++i) {
    const auto number = [&random](unsigned below) { return std::size_t{random()} % below; };
    PeerCopy copy{{number(9), number(5), number(3), 0, 2, nullptr, there, nullptr, other, 50, 9},
                  {number(9), number(5), number(3), 0, 2, nullptr, here, nullptr, bench.context, 60, 8},
                  1 + number(30),
                  1 + number(3),
                  1 + number(4)};
    const bool later = number(2) == 0;
    CUDA_STEP(2, kSuccess,
              later ? cuda.call<int(PeerCopy*, void*)>("cuMemcpy3DPeerAsync", &copy, stream)
                    : cuda.call<int(PeerCopy*)>("cuMemcpy3DPeer", &copy));
    CUDA_STEP(3, kSuccess, bench.synchronize(stream));
    const auto at = [](const PeerCopy::End& end, std::size_t x, std::size_t y, std::size_t z) {
      return ((end.z + z) * end.height + end.y + y) * end.pitch + end.x + x;
    };
    for (std::size_t z = 0; z < copy.depth; ++z)
      for (std::size_t y = 0; y < copy.height; ++y)
        for (std::size_t x = 0; x < copy.width; ++x)
          expected[at(copy.to, x, y, z)] = bytes[at(copy.from, x, y, z)];
  }
  CUDA_STEP(4, true, told(cuda, here) == expected);
  PeerCopy copy{{0, 0, 0, 0, 2, nullptr, there, nullptr, other, 0, 0},
                {0, 0, 0, 0, 2, nullptr, here, nullptr, bench.context, 0, 0},
                16,
                1,
                1};
  copy.from.context = nullptr;
  CUDA_STEP(5, kInvalidContext, cuda.call<int(PeerCopy*)>("cuMemcpy3DPeer", &copy));
  copy.from.context = other;
  CUDA_STEP(6, kInvalidValue, cuda.call<int(PeerCopy*)>("cuMemcpy3DPeer", nullptr));
  copy.width = kBytes + 1;
  CUDA_STEP(7, kInvalidValue, cuda.call<int(PeerCopy*)>("cuMemcpy3DPeer", &copy));
  CUDA_STEP(8, kSuccess, cuda.call<int(void*)>("cuCtxDestroy_v2", other));
  copy.width = 16;
  CUDA_STEP(9, kContextIsDestroyed, cuda.call<int(PeerCopy*)>("cuMemcpy3DPeer", &copy));
  return 0;
}

TEST(CudaRows, BoxesAreCopiedBetweenContexts) {
  EXPECT_EQ(in_cuda({}, [](const Cuda& cuda) { return on_bench(cuda, peers); }), "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
