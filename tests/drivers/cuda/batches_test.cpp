// SPDX-License-Identifier: Apache-2.0
// Copies with attributes, several in a call, of lines and of boxes, against loops.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "tests/drivers/cuda/stream_bench.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr std::size_t kBytes = 1 << 14;
constexpr std::size_t kNone = ~std::size_t{0};
using Bytes = std::vector<unsigned char>;

struct Attributes {  // CUmemcpyAttributes
  int order = 1;
  int from[2] = {};
  int to[2] = {};
  unsigned flags = 0;
};
static_assert(sizeof(Attributes) == 24);

using Batch = int(Pointer*, Pointer*, std::size_t*, std::size_t, Attributes*, std::size_t*, std::size_t, std::size_t*,
                  void*);
using BatchV2 = int(Pointer*, Pointer*, std::size_t*, std::size_t, Attributes*, std::size_t*, std::size_t, void*);

Pointer filled(const Cuda& cuda, unsigned seed, Bytes* bytes) {
  std::mt19937 random(seed);
  bytes->resize(kBytes);
  for (unsigned char& each : *bytes)
    each = static_cast<unsigned char>(random());
  const Pointer memory = cuda.allocate(kBytes);
  cuda.call<CopyTo>("cuMemcpyHtoD_v2", memory, bytes->data(), kBytes);
  return memory;
}
Bytes told(const Cuda& cuda, Pointer at) {
  Bytes all(kBytes);
  cuda.call<CopyFrom>("cuMemcpyDtoH_v2", all.data(), at, kBytes);
  return all;
}

int lines(const StreamBench& bench) {
  const Cuda& cuda = bench.cuda;
  void* stream = bench.stream();
  Bytes from;
  const Pointer source = filled(cuda, 1, &from);
  const Pointer target = cuda.allocate(kBytes);
  Bytes expected(kBytes, 0);
  std::mt19937 random(2);
  for (int round = 0; round < 50; ++round) {
    constexpr std::size_t kCount = 9;
    std::array<Pointer, kCount> to{};
    std::array<Pointer, kCount> of{};
    std::array<std::size_t, kCount> sizes{};
    for (std::size_t i = 0; i < kCount; ++i) {  // each into a part of its own
      constexpr std::size_t kPart = kBytes / kCount;
      const std::size_t size = 1 + random() % kPart;
      const std::size_t at = i * kPart + random() % (kPart - size + 1);
      const std::size_t begin = random() % (kBytes - size);
      const bool of_host = random() % 3 == 0;
      to[i] = target + at;
      of[i] = of_host ? reinterpret_cast<Pointer>(from.data() + begin) : source + begin;
      sizes[i] = size;
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(begin), size,
                  expected.begin() + static_cast<std::ptrdiff_t>(at));
    }
    Attributes attributes[3];
    attributes[1].order = 2;
    attributes[2].order = 3;
    attributes[2].flags = 1;
    std::size_t first[] = {0, 4, 8};
    CUDA_STEP(1, kSuccess,
              cuda.call<BatchV2>("cuMemcpyBatchAsync_v2", to.data(), of.data(), sizes.data(), kCount, attributes, first,
                                 3, stream));
    CUDA_STEP(2, kSuccess, bench.synchronize(stream));
  }
  CUDA_STEP(3, true, told(cuda, target) == expected);
  return 0;
}

TEST(CudaBatches, LinesAreCopiedAsALoopCopiesThem) {
  EXPECT_EQ(in_cuda({}, [](const Cuda& cuda) { return on_bench(cuda, lines); }), "exit 0");
}

int refusals(const StreamBench& bench) {
  const Cuda& cuda = bench.cuda;
  void* stream = bench.stream();
  Bytes bytes;
  const Pointer source = filled(cuda, 1, &bytes);
  const Pointer target = cuda.allocate(kBytes);
  Pointer to[] = {target, target + 100, target + 200};
  Pointer from[] = {source, source + 100, source + 200};
  std::size_t sizes[] = {10, 10, 10};
  Attributes attributes[2];
  std::size_t failed = 5;
  const auto batch = [&](std::vector<std::size_t> first, void* in) {
    failed = 5;
    return cuda.call<Batch>("cuMemcpyBatchAsync", to, from, sizes, 3, attributes, first.data(), first.size(), &failed,
                            in);
  };
  CUDA_STEP(1, kSuccess, batch({0, 2}, stream));
  CUDA_STEP(2, 5u, failed);
  for (const auto& wrong : std::vector<std::vector<std::size_t>>{{1}, {0, 0}, {0, 3}, {}}) {
    CUDA_STEP(3, kInvalidValue, batch(wrong, stream));
    CUDA_STEP(4, kNone, failed);
  }
  CUDA_STEP(5, kInvalidValue, batch({0}, nullptr));
  CUDA_STEP(6, kInvalidHandle, batch({0}, reinterpret_cast<void*>(std::uintptr_t{77})));
  for (const int order : {0, 4, -1}) {
    attributes[1].order = order;
    CUDA_STEP(7, kInvalidValue, batch({0, 2}, stream));
  }
  attributes[1].order = 1;
  attributes[0].flags = 2;
  CUDA_STEP(8, kInvalidValue, batch({0}, stream));
  attributes[0].flags = 0;
  CUDA_STEP(9, kSuccess, bench.synchronize(stream));
  // One that is refused leaves the others undone, and is told.
  const Bytes before = told(cuda, target);
  from[0] += 50;
  to[2] = target + kBytes - 5;
  CUDA_STEP(10, kInvalidValue, batch({0}, stream));
  CUDA_STEP(11, 2u, failed);
  CUDA_STEP(12, kSuccess, bench.synchronize(stream));
  CUDA_STEP(13, true, told(cuda, target) == before);
  to[2] = target + 200;
  sizes[1] = ~std::size_t{0};
  CUDA_STEP(14, kInvalidValue, batch({0}, stream));
  CUDA_STEP(15, 1u, failed);
  using One = int(Pointer, Pointer, std::size_t, Attributes*, void*);
  CUDA_STEP(16, kSuccess,
            cuda.call<One>("cuMemcpyWithAttributesAsync", target, source, kBytes, &attributes[0], nullptr));
  CUDA_STEP(17, kInvalidValue, cuda.call<One>("cuMemcpyWithAttributesAsync", target, source, 4, nullptr, nullptr));
  CUDA_STEP(18, true, told(cuda, target) == bytes);
  CUDA_STEP(19, kSuccess, batch({0}, kPerThread) == kInvalidValue ? kSuccess : kUnknown);
  return 0;
}

TEST(CudaBatches, AllOrNoneIsDone) {
  EXPECT_EQ(in_cuda({}, [](const Cuda& cuda) { return on_bench(cuda, refusals); }), "exit 0");
}

struct Operand {  // CUmemcpy3DOperand
  int type = 1;
  union {
    struct {
      Pointer at;
      std::size_t row, layer;
      int hint[2];
    } pointer;
    struct {
      void* array;
      std::size_t x, y, z;
    } array;
  };
};
struct Operation {  // CUDA_MEMCPY3D_BATCH_OP
  Operand from, to;
  std::size_t width, height, depth;
  int order = 1;
  unsigned flags = 0;
};
static_assert(sizeof(Operation) == 112);
using Boxes = int(std::size_t, Operation*, std::size_t*, unsigned long long, void*);

struct Array3dDescriptor {
  std::size_t width, height, depth;
  int format;
  unsigned channels, flags;
};

Operand memory(Pointer at, std::size_t row, std::size_t layer) {
  Operand made{};
  made.pointer = {at, row, layer, {}};
  return made;
}
Operand in_array(void* array, std::size_t x, std::size_t y, std::size_t z) {
  Operand made{};
  made.type = 2;
  made.array = {array, x, y, z};
  return made;
}

// Into an array of elements of four bytes, across to another one, and out again.
int boxes(const StreamBench& bench) {
  const Cuda& cuda = bench.cuda;
  void* stream = bench.stream();
  constexpr int kUnsigned = 0x03;
  const Array3dDescriptor words{10, 8, 4, kUnsigned, 1, 0};
  const Array3dDescriptor pairs{10, 8, 4, kUnsigned, 2, 0};
  void* arrays[3] = {};
  for (int i = 0; i < 3; ++i)
    CUDA_STEP(1, kSuccess,
              cuda.call<int(void**, const void*)>("cuArray3DCreate_v2", &arrays[i],
                                                  static_cast<const void*>(i == 2 ? &pairs : &words)));
  Bytes bytes;
  const Pointer source = filled(cuda, 4, &bytes);
  const Pointer target = cuda.allocate(kBytes);
  Operation steps[] = {
      {memory(source + 40, 12, 9), in_array(arrays[0], 2, 1, 1), 6, 5, 3},
      {in_array(arrays[0], 3, 2, 1), in_array(arrays[1], 0, 0, 0), 5, 4, 2},
      {in_array(arrays[1], 0, 0, 0), memory(target, 0, 0), 5, 4, 2},
  };
  std::size_t failed = 0;
  for (Operation& step : steps) {
    CUDA_STEP(2, kSuccess, cuda.call<Boxes>("cuMemcpy3DBatchAsync", 1, &step, &failed, 0, stream));
    CUDA_STEP(3, kSuccess, bench.synchronize(stream));
  }
  const Bytes got = told(cuda, target);
  for (std::size_t z = 0; z < 2; ++z)
    for (std::size_t y = 0; y < 4; ++y)
      for (std::size_t x = 0; x < 20; ++x)
        CUDA_STEP(4, bytes[40 + (z * 9 + y + 1) * 48 + 4 + x], got[(z * 4 + y) * 20 + x]);
  Operation plain{memory(source, 7, 5), memory(target, 0, 6), 7, 5, 3};
  CUDA_STEP(5, kSuccess,
            cuda.call<int(Operation*, unsigned long long, void*)>("cuMemcpy3DWithAttributesAsync", &plain, 0, nullptr));
  const Bytes packed = told(cuda, target);
  for (std::size_t z = 0; z < 3; ++z)
    for (std::size_t i = 0; i < 35; ++i)
      CUDA_STEP(6, bytes[z * 35 + i], packed[z * 42 + i]);
  const auto refused = [&](Operation op) {
    Operation both[] = {plain, op};
    failed = 5;
    return cuda.call<Boxes>("cuMemcpy3DBatchAsync", 2, both, &failed, 0, stream) == kSuccess ? 100 : int(failed);
  };
  const auto with = [&plain](auto change) {
    Operation changed = plain;
    change(changed);
    return changed;
  };
  CUDA_STEP(7, 1, refused(with([](Operation& op) { op.width = 0; })));
  CUDA_STEP(8, 1, refused(with([](Operation& op) { op.width = 8; })));
  CUDA_STEP(9, 1, refused(with([](Operation& op) { op.height = 7; })));
  CUDA_STEP(10, 1, refused(with([](Operation& op) { op.depth = std::size_t{1} << 40; })));
  CUDA_STEP(11, 1, refused(with([](Operation& op) { op.order = 0; })));
  CUDA_STEP(12, 1, refused(with([](Operation& op) { op.from.type = 3; })));
  CUDA_STEP(13, 1, refused({in_array(arrays[0], 0, 0, 0), in_array(arrays[2], 0, 0, 0), 1, 1, 1}));
  CUDA_STEP(14, 1, refused({in_array(arrays[0], 5, 0, 0), memory(target, 0, 0), 6, 1, 1}));
  CUDA_STEP(15, 1, refused({in_array(stream, 0, 0, 0), memory(target, 0, 0), 1, 1, 1}));
  CUDA_STEP(16, kInvalidValue, cuda.call<Boxes>("cuMemcpy3DBatchAsync", 1, &plain, &failed, 0, nullptr));
  CUDA_STEP(17, kInvalidValue, cuda.call<Boxes>("cuMemcpy3DBatchAsync", 1, &plain, &failed, 1, stream));
  CUDA_STEP(18, kInvalidValue, cuda.call<Boxes>("cuMemcpy3DBatchAsync", 0, &plain, &failed, 0, stream));
  return 0;
}

TEST(CudaBatches, BoxesAreOfElements) {
  EXPECT_EQ(in_cuda({}, [](const Cuda& cuda) { return on_bench(cuda, boxes); }), "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
