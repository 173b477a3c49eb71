// SPDX-License-Identifier: Apache-2.0
// Memory that streams allocate and free, pools, and memory of the program that is registered.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/drivers/cuda/pool_properties.hpp"
#include "tests/drivers/cuda/stream_bench.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr int kAlreadyRegistered = 712;
constexpr int kNotRegistered = 713;
constexpr int kThreshold = 4;
constexpr int kReserved = 5;
constexpr int kUsed = 7;
constexpr int kUsedHigh = 8;
constexpr std::size_t kMiB = std::size_t{1} << 20;

using Allocate = int(Pointer*, std::size_t, void*);
using Free = int(Pointer, void*);

std::uint64_t told(const Cuda& cuda, void* pool, int attribute) {
  std::uint64_t value = ~std::uint64_t{0};
  cuda.call<int(void*, int, void*)>("cuMemPoolGetAttribute", pool, attribute, static_cast<void*>(&value));
  return value;
}
int set(const Cuda& cuda, void* pool, int attribute, std::uint64_t value) {
  return cuda.call<int(void*, int, void*)>("cuMemPoolSetAttribute", pool, attribute, static_cast<void*>(&value));
}

TEST(CudaPools, MemoryIsFreedWhenItsStreamComesToIt) {
  const auto work = [](const StreamBench& bench) {
    const Cuda& cuda = bench.cuda;
    const std::size_t before = cuda.free_memory();
    void* stream = bench.stream();
    Pointer memory = 0;
    CUDA_STEP(1, kSuccess, cuda.call<Allocate>("cuMemAllocAsync", &memory, 64 * kMiB, stream));
    CUDA_STEP(2, before - 64 * kMiB, cuda.free_memory());
    CUDA_STEP(3, kSuccess, bench.gate(stream, 0));
    CUDA_STEP(4, kSuccess,
              cuda.call<int(Pointer, unsigned, std::size_t, void*)>("cuMemsetD32Async", memory, 77, 1024, stream));
    CUDA_STEP(
        5, kSuccess,
        cuda.call<int(Pointer, Pointer, std::size_t, void*)>("cuMemcpyAsync", bench.at(1), memory + 4092, 4, stream));
    CUDA_STEP(6, kSuccess, cuda.call<Free>("cuMemFreeAsync", memory, stream));
    CUDA_STEP(7, kInvalidValue, cuda.call<Free>("cuMemFreeAsync", memory, stream));  // it is on its way
    CUDA_STEP(8, before - 64 * kMiB, cuda.free_memory());
    bench.open(0);
    CUDA_STEP(9, kSuccess, bench.synchronize(stream));
    CUDA_STEP(10, 77u, bench.read(1));
    CUDA_STEP(11, before, cuda.free_memory());
    CUDA_STEP(12, kInvalidValue, cuda.call<int(Pointer)>("cuMemFree_v2", memory));
    CUDA_STEP(13, kInvalidValue, cuda.call<Allocate>("cuMemAllocAsync", &memory, 0, stream));
    CUDA_STEP(14, kOutOfMemory, cuda.call<Allocate>("cuMemAllocAsync", &memory, std::size_t{1} << 42, stream));
    return 0;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

TEST(CudaPools, KeepWhatTheirThresholdLetsThem) {
  const auto work = [](const StreamBench& bench) {
    const Cuda& cuda = bench.cuda;
    const std::size_t before = cuda.free_memory();
    PoolProperties properties;
    properties.most = 96 * kMiB;
    void* pool = nullptr;
    CUDA_STEP(1, kSuccess, cuda.call<int(void**, void*)>("cuMemPoolCreate", &pool, static_cast<void*>(&properties)));
    CUDA_STEP(2, kSuccess, set(cuda, pool, kThreshold, 32 * kMiB));
    using FromPool = int(Pointer*, std::size_t, void*, void*);
    Pointer first = 0;
    Pointer second = 0;
    CUDA_STEP(3, kSuccess, cuda.call<FromPool>("cuMemAllocFromPoolAsync", &first, 64 * kMiB, pool, nullptr));
    CUDA_STEP(4, kOutOfMemory, cuda.call<FromPool>("cuMemAllocFromPoolAsync", &second, 64 * kMiB, pool, nullptr));
    CUDA_STEP(5, 64 * kMiB, told(cuda, pool, kUsed));
    void* of_memory = nullptr;
    CUDA_STEP(6, kSuccess,
              cuda.call<int(void*, int, Pointer)>("cuPointerGetAttribute", static_cast<void*>(&of_memory), 17, first));
    CUDA_STEP(7, pool, of_memory);
    CUDA_STEP(8, kSuccess, cuda.call<Free>("cuMemFreeAsync", first, nullptr));
    CUDA_STEP(9, kSuccess, bench.synchronize(nullptr));
    CUDA_STEP(10, 0u, told(cuda, pool, kUsed));
    CUDA_STEP(11, 64 * kMiB, told(cuda, pool, kUsedHigh));
    CUDA_STEP(12, 32 * kMiB, told(cuda, pool, kReserved));
    CUDA_STEP(13, before - 32 * kMiB, cuda.free_memory());
    CUDA_STEP(14, kSuccess, cuda.call<FromPool>("cuMemAllocFromPoolAsync", &first, 16 * kMiB, pool, nullptr));
    CUDA_STEP(15, before - 32 * kMiB, cuda.free_memory());  // of what it has
    CUDA_STEP(16, kSuccess, cuda.call<int(void*, std::size_t)>("cuMemPoolTrimTo", pool, std::size_t{0}));
    CUDA_STEP(17, 16 * kMiB, told(cuda, pool, kReserved));
    CUDA_STEP(18, kInvalidValue, set(cuda, pool, kUsedHigh, 1));
    CUDA_STEP(19, kSuccess, set(cuda, pool, kUsedHigh, 0));
    CUDA_STEP(20, 16 * kMiB, told(cuda, pool, kUsedHigh));
    // It goes with its last allocation.
    CUDA_STEP(21, kSuccess, cuda.call<int(void*)>("cuMemPoolDestroy", pool));
    CUDA_STEP(22, kInvalidValue, cuda.call<int(void*)>("cuMemPoolDestroy", pool));
    CUDA_STEP(23, kInvalidValue, cuda.call<FromPool>("cuMemAllocFromPoolAsync", &second, 4096, pool, nullptr));
    CUDA_STEP(24, kSuccess, cuda.call<int(Pointer)>("cuMemFree_v2", first));
    CUDA_STEP(25, before, cuda.free_memory());
    return 0;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

TEST(CudaPools, EachDeviceHasOne) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      using Get = int(void**, int);
                      using Set = int(int, void*);
                      void* pools[3] = {};
                      CUDA_STEP(1, kSuccess, cuda.call<Get>("cuDeviceGetDefaultMemPool", &pools[0], 0));
                      CUDA_STEP(2, kSuccess, cuda.call<Get>("cuDeviceGetMemPool", &pools[1], 0));
                      CUDA_STEP(3, pools[0], pools[1]);
                      CUDA_STEP(4, kSuccess, cuda.call<Get>("cuDeviceGetDefaultMemPool", &pools[1], 1));
                      if (pools[0] == pools[1]) return 5;
                      CUDA_STEP(6, kInvalidValue, cuda.call<Set>("cuDeviceSetMemPool", 0, pools[1]));
                      CUDA_STEP(7, kInvalidValue, cuda.call<int(void*)>("cuMemPoolDestroy", pools[0]));
                      PoolProperties properties;
                      using Create = int(void**, void*);
                      CUDA_STEP(8, kSuccess,
                                cuda.call<Create>("cuMemPoolCreate", &pools[2], static_cast<void*>(&properties)));
                      CUDA_STEP(9, kSuccess, cuda.call<Set>("cuDeviceSetMemPool", 0, pools[2]));
                      CUDA_STEP(10, kSuccess, cuda.call<Get>("cuDeviceGetMemPool", &pools[1], 0));
                      CUDA_STEP(11, pools[2], pools[1]);
                      void* context = cuda.context();
                      Pointer memory = 0;
                      CUDA_STEP(12, kSuccess, cuda.call<Allocate>("cuMemAllocAsync", &memory, kMiB, nullptr));
                      CUDA_STEP(13, kMiB, told(cuda, pools[2], kUsed));
                      CUDA_STEP(14, kSuccess, cuda.call<int(void*)>("cuCtxDestroy_v2", context));
                      CUDA_STEP(15, 0u, told(cuda, pools[2], kUsed));
                      properties.handles = 8;  // of a fabric
                      CUDA_STEP(16, kNotSupported,
                                cuda.call<Create>("cuMemPoolCreate", &pools[2], static_cast<void*>(&properties)));
                      for (std::uint64_t bit = 0; bit < 64; ++bit) {
                        void* wrong = reinterpret_cast<void*>(reinterpret_cast<std::uint64_t>(pools[0]) ^ 1ull << bit);
                        if (wrong == pools[2]) continue;
                        CUDA_STEP(17, kInvalidValue, set(cuda, wrong, kThreshold, 0));
                      }
                      return 0;
                    }),
            "exit 0");
}

// Freed beside a kernel of another stream that reads it: the kernel ends well or with a fault, and the process lives.
TEST(CudaPools, AKernelThatReadsWhatIsFreedHarmsNothing) {
  const auto work = [](const StreamBench& bench) {
    const Cuda& cuda = bench.cuda;
    void* meet = kernel(cuda, ptx("gate.ptx"), "meet");
    void* reader = bench.stream();
    void* other = bench.stream();
    Pointer memory = 0;
    CUDA_STEP(1, kSuccess, cuda.call<Allocate>("cuMemAllocAsync", &memory, kMiB, other));
    auto* const words = reinterpret_cast<unsigned*>(memory);
    void* parameters[] = {&memory};
    CUDA_STEP(2, kSuccess, launch(cuda, meet, 1, 1, parameters, nullptr, reader));
    while (__atomic_load_n(words + 1, __ATOMIC_ACQUIRE) == 0)
      std::this_thread::yield();
    CUDA_STEP(3, kSuccess, cuda.call<Free>("cuMemFreeAsync", memory, other));
    CUDA_STEP(4, kSuccess, bench.synchronize(other));
    CUDA_STEP(5, kInvalidValue, cuda.call<CopyTo>("cuMemcpyHtoD_v2", memory, bench.words, 4));
    __atomic_store_n(words, 1u, __ATOMIC_RELEASE);  // as the kernel, by an address that was good
    const int code = bench.synchronize(reader);
    return code == kSuccess || code == kIllegalAddress ? 0 : 6;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

TEST(CudaRegistered, MemoryOfTheProgramIsKnown) {
  const auto work = [](const StreamBench& bench) {
    const Cuda& cuda = bench.cuda;
    std::vector<unsigned> own(4096, 5);
    using Register = int(void*, std::size_t, unsigned);
    const std::size_t size = own.size() * sizeof own[0];
    void* const begin = own.data();
    CUDA_STEP(1, kNotRegistered, cuda.call<int(void*)>("cuMemHostUnregister", begin));
    CUDA_STEP(2, kSuccess, cuda.call<Register>("cuMemHostRegister_v2", begin, size, 2u));
    CUDA_STEP(3, kAlreadyRegistered, cuda.call<Register>("cuMemHostRegister_v2", begin, size, 0u));
    CUDA_STEP(4, kAlreadyRegistered,
              cuda.call<Register>("cuMemHostRegister_v2", static_cast<void*>(own.data() + 100), std::size_t{4}, 0u));
    CUDA_STEP(5, kInvalidValue, cuda.call<Register>("cuMemHostRegister_v2", begin, std::size_t{0}, 0u));
    CUDA_STEP(6, kInvalidValue, cuda.call<Register>("cuMemHostRegister_v2", begin, size, 64u));
    unsigned flags = 0;
    CUDA_STEP(7, kSuccess, cuda.call<int(unsigned*, void*)>("cuMemHostGetFlags", &flags, begin));
    CUDA_STEP(8, 2u, flags);
    Pointer on_device = 0;
    CUDA_STEP(9, kSuccess,
              cuda.call<int(Pointer*, void*, unsigned)>("cuMemHostGetDevicePointer_v2", &on_device, begin, 0u));
    unsigned type = 0;
    CUDA_STEP(10, kSuccess,
              cuda.call<int(void*, int, Pointer)>("cuPointerGetAttribute", static_cast<void*>(&type), 2, on_device));
    CUDA_STEP(11, 1u, type);
    // Its copies are asynchronous: the stream has not come to it when the call is back.
    void* stream = bench.stream();
    CUDA_STEP(12, kSuccess, bench.gate(stream, 0));
    CUDA_STEP(13, kSuccess,
              cuda.call<int(Pointer, const void*, std::size_t, void*)>("cuMemcpyHtoDAsync_v2", bench.at(1), begin, 4,
                                                                       stream));
    CUDA_STEP(14, 0u, bench.read(1));
    own[0] = 6;
    bench.open(0);
    CUDA_STEP(15, kSuccess, bench.synchronize(stream));
    CUDA_STEP(16, 6u, bench.read(1));
    CUDA_STEP(17, kInvalidValue, cuda.call<int(void*)>("cuMemFreeHost", begin));
    CUDA_STEP(18, kSuccess, cuda.call<int(void*)>("cuMemHostUnregister", begin));
    CUDA_STEP(19, kNotRegistered, cuda.call<int(void*)>("cuMemHostUnregister", begin));
    CUDA_STEP(20, 6u, own[0]);
    return 0;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
