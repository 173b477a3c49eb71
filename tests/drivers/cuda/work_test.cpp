// SPDX-License-Identifier: Apache-2.0
// The work of a stream: in its order, with what it uses kept until it is done, among threads, after a fault, in a
// child.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>
#include <vector>

#include "tests/drivers/cuda/stream_bench.hpp"

namespace nvmlab::cuda_test {
namespace {

// Kernels, copies and fills of a stream, one after another, while nothing of it is done by the calls.
TEST(CudaWork, AStreamKeepsItsOrder) {
  const auto work = [](const StreamBench& bench) {
    const Cuda& cuda = bench.cuda;
    constexpr unsigned kCount = 256;
    void* add = kernel(cuda, ptx("vector_add.ptx"), "vector_add");
    if (add == nullptr) return 1;
    Pointer sum = cuda.allocate(kCount * 4);
    float* const host = reinterpret_cast<float*>(bench.words + 256);
    const auto at_host = reinterpret_cast<Pointer>(host);
    for (unsigned i = 0; i < kCount; ++i)
      host[i] = 1;
    void* stream = bench.stream();
    CUDA_STEP(2, kSuccess, bench.gate(stream, 0));
    CUDA_STEP(3, kSuccess,
              cuda.call<int(Pointer, Pointer, std::size_t, void*)>("cuMemcpyAsync", sum, at_host, kCount * 4, stream));
    unsigned count = kCount;
    void* parameters[] = {&sum, &sum, &sum, &count};
    for (int i = 0; i < 10; ++i)
      CUDA_STEP(4, kSuccess, launch(cuda, add, 1, kCount, parameters, nullptr, stream));
    CUDA_STEP(5, kSuccess,
              cuda.call<int(Pointer, Pointer, std::size_t, void*)>("cuMemcpyAsync", at_host, sum, kCount * 4, stream));
    CUDA_STEP(6, 1.0F, host[0]);
    // The host's memory may be written until the stream comes to the copy.
    for (unsigned i = 0; i < kCount; ++i)
      host[i] = static_cast<float>(i);
    count = 0;  // parameters were taken when the kernel was launched
    bench.open(0);
    CUDA_STEP(7, kSuccess, bench.synchronize(stream));
    for (unsigned i = 0; i < kCount; ++i)
      CUDA_STEP(8, static_cast<float>(i) * 1024, host[i]);
    return 0;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

TEST(CudaWork, MemoryIsFreedWhenWorkIsDone) {
  const auto work = [](const StreamBench& bench) {
    const Cuda& cuda = bench.cuda;
    const Pointer memory = cuda.allocate(1 << 20);
    void* stream = bench.stream();
    CUDA_STEP(1, kSuccess, bench.gate(stream, 0));
    CUDA_STEP(
        2, kSuccess,
        cuda.call<int(Pointer, unsigned char, std::size_t, void*)>("cuMemsetD8Async", memory, 1, 1 << 20, stream));
    CUDA_STEP(3, kSuccess, bench.write(stream, 1, 1));
    CUDA_STEP(4, kSuccess, cuda.call<int(void*)>("cuStreamDestroy_v2", stream));  // its work is done all the same
    std::atomic<unsigned> seen{2};
    std::thread free([&] {
      cuda.call<int(void*)>("cuCtxSetCurrent", bench.context);
      cuda.call<int(Pointer)>("cuMemFree_v2", memory);
      seen = bench.read(1);
    });
    bench.open(0);
    free.join();
    CUDA_STEP(5, 1u, seen.load());
    return 0;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

TEST(CudaWork, AFaultStaysAndIsToldToCallbacks) {
  const auto work = [](const StreamBench& bench) {
    const Cuda& cuda = bench.cuda;
    void* wild = kernel(cuda, ptx("faults.ptx"), "wild");
    void* stream = bench.stream();
    static std::atomic<int> told;
    static std::atomic<int> called;
    told = -1;
    called = 0;
    Pointer nowhere = 64;
    void* parameters[] = {&nowhere};
    CUDA_STEP(1, kSuccess, bench.gate(stream, 0));
    CUDA_STEP(2, kSuccess, launch(cuda, wild, 1, 1, parameters, nullptr, stream));
    CUDA_STEP(3, kSuccess, bench.write(stream, 1, 1));
    CUDA_STEP(4, kSuccess,
              bench.call(
                  stream, [](void*) { ++called; }, nullptr));
    using Callback = void (*)(void*, int, void*);
    const Callback callback = [](void*, int status, void*) { told = status; };
    CUDA_STEP(5, kSuccess,
              cuda.call<int(void*, Callback, void*, unsigned)>("cuStreamAddCallback", stream, callback, nullptr, 0u));
    bench.open(0);
    CUDA_STEP(6, kIllegalAddress, bench.synchronize(stream));
    CUDA_STEP(7, kIllegalAddress, bench.query(stream));
    CUDA_STEP(8, kIllegalAddress, told.load());
    CUDA_STEP(9, 0, called.load());
    CUDA_STEP(10, 0u, bench.read(1));
    CUDA_STEP(11, kIllegalAddress, bench.write(bench.stream(), 1, 1) == kSuccess ? 0 : kIllegalAddress);
    CUDA_STEP(12, kSuccess, cuda.call<int(void*)>("cuCtxDestroy_v2", bench.context));
    cuda.context();
    return cuda.allocate(16) != 0 ? 0 : 13;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

TEST(CudaWork, MoreWorkThanAQueueHoldsIsDoneInOrder) {
  const auto work = [](const StreamBench& bench) {
    void* stream = bench.stream();
    struct Seen {
      std::atomic<int> next;
      bool wrong;
    } static seen;
    seen.next = 0;
    seen.wrong = false;
    for (std::intptr_t i = 0; i < 5000; ++i)
      CUDA_STEP(1, kSuccess,
                bench.call(
                    stream,
                    [](void* number) {
                      if (seen.next++ != static_cast<int>(reinterpret_cast<std::intptr_t>(number))) seen.wrong = true;
                    },
                    reinterpret_cast<void*>(i)));
    CUDA_STEP(2, kSuccess, bench.synchronize(stream));
    CUDA_STEP(3, 5000, seen.next.load());
    return seen.wrong ? 4 : 0;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

// Four threads, each with its stream, all on the same pieces of memory, while others come and go.
TEST(CudaWork, ThreadsShareAContext) {
  const auto work = [](const StreamBench& bench) {
    const Cuda& cuda = bench.cuda;
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        cuda.call<int(void*)>("cuCtxSetCurrent", bench.context);
        void* stream = bench.stream(t % 2);
        for (unsigned i = 1; i <= 200; ++i) {
          const Pointer memory = cuda.allocate(4096);
          if (memory == 0) ++wrong;
          cuda.call<int(Pointer, unsigned, std::size_t, void*)>("cuMemsetD32Async", memory, i, 1024, stream);
          unsigned last = 0;
          cuda.call<int(void*, Pointer, std::size_t, void*)>("cuMemcpyDtoHAsync_v2", &last, memory + 4092, 4, stream);
          if (last != i) ++wrong;
          if (cuda.call<int(Pointer)>("cuMemFree_v2", memory) != kSuccess) ++wrong;
        }
      });
    for (std::thread& each : threads)
      each.join();
    return wrong.load() == 0 ? 0 : 1;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

// Threads of the library take no signals, and a child of fork has none of them: it is told that it is not initialised.
TEST(CudaWork, AChildHasNoThreadsAndIsToldSo) {
  const auto work = [](const StreamBench& bench) {
    void* stream = bench.stream();
    CUDA_STEP(1, kSuccess, bench.gate(stream, 0));
    CUDA_STEP(2, kSuccess, bench.write(stream, 1, 1));
    const pid_t child = ::fork();
    if (child == 0) {
      const bool told = bench.synchronize(stream) == kNotInitialized && bench.query(stream) == kNotInitialized &&
                        bench.cuda.call<int()>("cuCtxSynchronize") == kNotInitialized;
      ::_exit(told ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    CUDA_STEP(3, 0, status);
    static std::atomic<pthread_t> taken;
    std::signal(SIGUSR1, [](int) { taken = ::pthread_self(); });
    ::kill(::getpid(), SIGUSR1);
    CUDA_STEP(4, ::pthread_self(), taken.load());
    bench.open(0);
    return bench.synchronize(stream) == kSuccess && bench.read(1) == 1 ? 0 : 5;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

TEST(CudaWork, WordsAreComparedAsAsked) {
  const auto work = [](const StreamBench& bench) {
    struct Row {
      unsigned now;
      unsigned value;
      unsigned flags;
      int code;
    };
    // Not behind (also where the word has wrapped around), equal, a common bit, not all bits in either.
    for (const Row& row :
         {Row{5, 5, 0, kSuccess}, Row{4, 5, 0, kNotReady}, Row{2, 0xFFFFFFFE, 0, kSuccess}, Row{5, 4, 1, kNotReady},
          Row{6, 3, 2, kSuccess}, Row{4, 3, 2, kNotReady}, Row{1, 2, 3, kSuccess}, Row{~5u, 5, 3, kNotReady}}) {
      void* stream = bench.stream();
      bench.words[8] = row.now;
      CUDA_STEP(1, kSuccess,
                bench.cuda.call<int(void*, Pointer, unsigned, unsigned)>("cuStreamWaitValue32_v2", stream, bench.at(8),
                                                                         row.value, row.flags));
      CUDA_STEP(2, row.code, bench.query(stream));
      bench.words[8] = row.flags == 2 ? 0xFFFFFFFF : row.flags == 3 ? 0 : row.value;
      CUDA_STEP(3, kSuccess, bench.synchronize(stream));
    }
    using Wait = int(void*, Pointer, unsigned, unsigned);
    CUDA_STEP(4, kInvalidValue, bench.cuda.call<Wait>("cuStreamWaitValue32_v2", nullptr, bench.at(0) + 2, 1u, 0u));
    CUDA_STEP(5, kInvalidValue, bench.cuda.call<Wait>("cuStreamWaitValue32_v2", nullptr, bench.at(0), 1u, 4u));
    CUDA_STEP(6, kInvalidValue, bench.cuda.call<Wait>("cuStreamWriteValue32_v2", nullptr, Pointer{64}, 1u, 0u));
    struct Operation {
      unsigned operation;
      Pointer address;
      std::uint64_t value;
      unsigned flags;
      std::uint64_t rest[2];
    } both[] = {{1, bench.at(0), 1, 1, {}}, {5, bench.at(2), 0x100000002, 0, {}}, {6, 0, 0, 0, {}}};
    static_assert(sizeof(Operation) == 48);
    void* stream = bench.stream();
    CUDA_STEP(7, kSuccess,
              bench.cuda.call<int(void*, unsigned, void*, unsigned)>("cuStreamBatchMemOp_v2", stream, 3u,
                                                                     static_cast<void*>(both), 0u));
    CUDA_STEP(8, 0u, bench.read(2));
    bench.open(0);
    CUDA_STEP(9, kSuccess, bench.synchronize(stream));
    CUDA_STEP(10, 2u, bench.read(2));
    CUDA_STEP(11, 1u, bench.read(3));
    return 0;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
