// SPDX-License-Identifier: Apache-2.0
// Streams side by side: what a program can tell of their order. Each test would hang or fail if the work of a stream
// were done by the call that asks for it, or if streams did not wait where they must.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/drivers/cuda/stream_bench.hpp"

namespace nvmlab::cuda_test {
namespace {

TEST(CudaConcurrency, AStreamIsBusyUntilItsWorkIsDone) {
  const auto work = [](const StreamBench& bench) {
    void* stream = bench.stream();
    CUDA_STEP(1, kSuccess, bench.query(stream));
    CUDA_STEP(2, kSuccess, bench.gate(stream, 0));
    CUDA_STEP(3, kSuccess, bench.write(stream, 1, 7));
    void* event = bench.event();
    CUDA_STEP(4, kSuccess, bench.cuda.call<int(void*, void*)>("cuEventRecord", event, stream));
    CUDA_STEP(5, kNotReady, bench.query(stream));
    CUDA_STEP(6, kNotReady, bench.cuda.call<int(void*)>("cuEventQuery", event));
    float passed = 0;
    CUDA_STEP(7, kNotReady, bench.cuda.call<int(float*, void*, void*)>("cuEventElapsedTime", &passed, event, event));
    CUDA_STEP(8, 0u, bench.read(1));
    bench.open(0);
    CUDA_STEP(9, kSuccess, bench.cuda.call<int(void*)>("cuEventSynchronize", event));
    CUDA_STEP(10, 7u, bench.read(1));
    CUDA_STEP(11, kSuccess, bench.query(stream));
    return 0;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

TEST(CudaConcurrency, StreamsDoNotWaitForEachOther) {
  const auto work = [](const StreamBench& bench) {
    std::vector<void*> shut;
    for (unsigned i = 0; i < 40; ++i) {
      shut.push_back(bench.stream());
      CUDA_STEP(1, kSuccess, bench.gate(shut.back(), 0));
      CUDA_STEP(2, kSuccess, bench.write(shut.back(), 100 + i, 1));
    }
    void* free = bench.stream();
    CUDA_STEP(3, kSuccess, bench.write(free, 1, 9));
    CUDA_STEP(4, kSuccess, bench.synchronize(free));
    CUDA_STEP(5, 9u, bench.read(1));
    for (unsigned i = 0; i < 40; ++i)
      CUDA_STEP(6, 0u, bench.read(100 + i));
    bench.open(0);
    CUDA_STEP(7, kSuccess, bench.cuda.call<int()>("cuCtxSynchronize"));
    for (unsigned i = 0; i < 40; ++i)
      CUDA_STEP(8, 1u, bench.read(100 + i));
    return 0;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

// Two host functions that wait for each other can only end side by side.
TEST(CudaConcurrency, HostFunctionsRunSideBySide) {
  const auto work = [](const StreamBench& bench) {
    static std::atomic<int> arrived;
    arrived = 0;
    const HostFunction meet = [](void*) {
      ++arrived;
      while (arrived.load() < 3)
        std::this_thread::yield();
    };
    for (int i = 0; i < 2; ++i)
      CUDA_STEP(1, kSuccess, bench.call(bench.stream(), meet, nullptr));
    meet(nullptr);  // the call came back although the function has not
    CUDA_STEP(2, kSuccess, bench.cuda.call<int()>("cuCtxSynchronize"));
    return 0;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

// A grid of as many blocks as a GPU holds: thread 0 of block 0 says that it is here, and all wait until `all` have.
constexpr const char* kMeet = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry meet(.param .u64 count, .param .u32 all) {
  .reg .pred %p<3>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [count];
  ld.param.u32 %r1, [all];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  or.b32 %r4, %r2, %r3;
  setp.eq.u32 %p1, %r4, 0;
  @%p1 red.global.add.u32 [%rd1], 1;
wait:
  ld.volatile.global.u32 %r5, [%rd1];
  setp.lt.u32 %p2, %r5, %r1;
  @%p2 bra wait;
  ret;
})";

// What takes no time is done by the call that asks for it, and nothing that lies before it: a host function may wait
// for what its caller does next, as one of the tests of cudarc's does.
TEST(CudaConcurrency, RecordingAnEventDoesNoOtherWork) {
  const auto work = [](const StreamBench& bench) {
    static std::atomic<int> released;
    static std::atomic<int> inside;
    static std::thread::id caller;
    released = inside = 0;
    caller = std::this_thread::get_id();
    const HostFunction hold = [](void* turn) {
      if (std::this_thread::get_id() == caller) ++inside;
      while (inside.load() == 0 && released.load() <= *static_cast<int*>(turn))
        std::this_thread::yield();
    };
    void* stream = bench.stream();
    void* event = bench.event();
    int turns[50];
    for (int& turn : turns) {
      turn = static_cast<int>(&turn - turns);
      CUDA_STEP(1, kSuccess, bench.call(stream, hold, &turn));
      CUDA_STEP(2, kSuccess, bench.cuda.call<int(void*, void*)>("cuEventRecord", event, stream));
      CUDA_STEP(3, 0, inside.load());
      CUDA_STEP(4, kNotReady, bench.cuda.call<int(void*)>("cuEventQuery", event));
      released = turn + 1;
      CUDA_STEP(5, kSuccess, bench.cuda.call<int(void*)>("cuEventSynchronize", event));
      inside = 0;
    }
    return 0;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

// Kernels of several streams that wait for each other can only end side by side, however many blocks each has.
TEST(CudaConcurrency, KernelsRunSideBySide) {
  const auto work = [](const StreamBench& bench) {
    constexpr unsigned kKernels = 6;
    void* const meet = kernel(bench.cuda, kMeet, "meet");
    if (meet == nullptr) return 1;
    Pointer count = bench.at(0);
    unsigned all = kKernels;
    void* parameters[] = {&count, &all};
    for (unsigned i = 0; i < kKernels; ++i)
      CUDA_STEP(2, kSuccess, launch(bench.cuda, meet, 1 + 100 * (i % 2), 64, parameters, nullptr, bench.stream()));
    CUDA_STEP(3, kSuccess, bench.cuda.call<int()>("cuCtxSynchronize"));
    CUDA_STEP(4, kKernels, bench.read(0));
    return 0;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

TEST(CudaConcurrency, AHostFunctionMayNotCallCuda) {
  const auto work = [](const StreamBench& bench) {
    struct Asked {
      const Cuda* cuda;
      std::atomic<int> codes[4];
    } asked{&bench.cuda, {}};
    const HostFunction call = [](void* data) {
      auto* const to = static_cast<Asked*>(data);
      Pointer memory = 0;
      to->codes[0] = to->cuda->call<int(Pointer*, std::size_t)>("cuMemAlloc_v2", &memory, std::size_t{64});
      to->codes[1] = to->cuda->call<int()>("cuCtxSynchronize");
      to->codes[2] = to->cuda->call<int(Pointer)>("cuMemFree_v2", Pointer{4096});
      to->codes[3] = to->cuda->call<int(void*)>("cuStreamSynchronize", nullptr);
    };
    void* stream = bench.stream();
    CUDA_STEP(1, kSuccess, bench.call(stream, call, &asked));
    CUDA_STEP(2, kSuccess, bench.synchronize(stream));
    for (const std::atomic<int>& code : asked.codes)
      CUDA_STEP(3, kNotPermitted, code.load());
    return bench.cuda.allocate(64) != 0 ? 0 : 4;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

TEST(CudaConcurrency, AStreamWaitsForAnEventAsItWasThen) {
  const auto work = [](const StreamBench& bench) {
    void* first = bench.stream();
    void* second = bench.stream();
    void* event = bench.event();
    const auto record = [&](void* stream) {
      return bench.cuda.call<int(void*, void*)>("cuEventRecord", event, stream);
    };
    const auto wait = [&](void* stream) {
      return bench.cuda.call<int(void*, void*, unsigned)>("cuStreamWaitEvent", stream, event, 0u);
    };
    CUDA_STEP(1, kSuccess, wait(second));  // never recorded: nothing to wait for
    CUDA_STEP(2, kSuccess, bench.synchronize(second));
    CUDA_STEP(3, kSuccess, bench.gate(first, 0));
    CUDA_STEP(4, kSuccess, record(first));
    CUDA_STEP(5, kSuccess, wait(second));
    CUDA_STEP(6, kSuccess, bench.write(second, 1, 5));
    // Recorded anew and destroyed: the wait is for what it stood for.
    CUDA_STEP(7, kSuccess, bench.gate(first, 2));
    CUDA_STEP(8, kSuccess, record(first));
    CUDA_STEP(9, kSuccess, bench.cuda.call<int(void*)>("cuEventDestroy_v2", event));
    CUDA_STEP(10, kNotReady, bench.query(second));
    CUDA_STEP(11, 0u, bench.read(1));
    bench.open(0);
    CUDA_STEP(12, kSuccess, bench.synchronize(second));
    CUDA_STEP(13, 5u, bench.read(1));
    CUDA_STEP(14, kNotReady, bench.query(first));
    bench.open(2);
    CUDA_STEP(15, kSuccess, bench.synchronize(first));
    return 0;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

TEST(CudaConcurrency, TheLegacyStreamWaitsForOthersAndTheyForIt) {
  const auto work = [](const StreamBench& bench) {
    void* blocking = bench.stream();
    void* apart = bench.stream(kNonBlocking);
    CUDA_STEP(1, kSuccess, bench.gate(blocking, 0));
    CUDA_STEP(2, kSuccess, bench.write(nullptr, 1, 1));
    void* later = bench.stream();
    CUDA_STEP(3, kSuccess, bench.write(later, 2, 1));
    CUDA_STEP(4, kSuccess, bench.write(apart, 3, 1));
    CUDA_STEP(5, kSuccess, bench.synchronize(apart));
    CUDA_STEP(6, 1u, bench.read(3));
    for (void* each : {static_cast<void*>(nullptr), kLegacy, blocking, later})
      CUDA_STEP(7, kNotReady, bench.query(each));
    CUDA_STEP(8, kSuccess, bench.query(kPerThread));
    CUDA_STEP(9, 0u, bench.read(1) + bench.read(2));
    bench.open(0);
    CUDA_STEP(10, kSuccess, bench.synchronize(later));
    CUDA_STEP(11, 1u, bench.read(1));
    CUDA_STEP(12, 1u, bench.read(2));
    return 0;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

// Forms whose names end with _ptsz and _ptds mean the calling thread's stream where they name none.
TEST(CudaConcurrency, ThePerThreadStreamIsTheThreadsOwn) {
  const auto work = [](const StreamBench& bench) {
    const Cuda& cuda = bench.cuda;
    using WaitValue = int(void*, Pointer, unsigned, unsigned);
    CUDA_STEP(1, kSuccess, cuda.call<WaitValue>("cuStreamWaitValue32_v2_ptsz", nullptr, bench.at(0), 1u, 1u));
    CUDA_STEP(2, kNotReady, bench.query(kPerThread));
    CUDA_STEP(3, kNotReady, cuda.call<int(void*)>("cuStreamQuery_ptsz", nullptr));
    std::atomic<int> of_other{-1};
    std::thread([&] {
      cuda.call<int(void*)>("cuCtxSetCurrent", bench.context);
      of_other = bench.query(kPerThread);
      unsigned from = 3;
      const int copied = cuda.call<CopyTo>("cuMemcpyHtoD_v2_ptds", bench.at(4), &from, sizeof from);
      if (copied != kSuccess) of_other = copied;
    }).join();
    CUDA_STEP(4, kSuccess, of_other.load());
    CUDA_STEP(5, 3u, bench.read(4));
    unsigned long long ids[2] = {};
    CUDA_STEP(6, kSuccess, cuda.call<int(void*, unsigned long long*)>("cuStreamGetId", kPerThread, &ids[0]));
    CUDA_STEP(7, kSuccess, cuda.call<int(void*, unsigned long long*)>("cuStreamGetId", kLegacy, &ids[1]));
    if (ids[0] == ids[1]) return 8;
    bench.open(0);
    CUDA_STEP(9, kSuccess, bench.synchronize(kPerThread));
    return 0;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

// Events go with the context of their stream, whichever is current: NVIDIA's p2pBandwidthLatencyTest counts on it.
TEST(CudaConcurrency, StreamsOfOtherContextsWaitForEvents) {
  const auto work = [](const StreamBench& bench) {
    void* stream = bench.stream();
    void* event = bench.event();
    void* other = nullptr;
    CUDA_STEP(1, kSuccess, bench.cuda.call<int(void**, unsigned, int)>("cuCtxCreate_v2", &other, 0u, 0));
    CUDA_STEP(2, kSuccess, bench.cuda.call<int(void*, void*)>("cuEventRecord", event, stream));
    CUDA_STEP(3, kSuccess, bench.cuda.call<int(void*, void*, unsigned)>("cuStreamWaitEvent", stream, event, 0u));
    CUDA_STEP(4, kSuccess, bench.synchronize(stream));
    CUDA_STEP(5, kInvalidHandle, bench.cuda.call<int(void*, void*)>("cuEventRecord", event, nullptr));
    return 0;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); }), "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
