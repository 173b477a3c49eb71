// SPDX-License-Identifier: Apache-2.0
// Streams that are captured: what they are asked for is done by the launch of the graph alone, and what cannot be
// captured is told by the codes that CUDA has for it.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/drivers/cuda/stream_bench.hpp"

namespace nvmlab::cuda_test {
namespace {

enum CaptureCode : int {
  kIllegalState = 401,
  kUnsupported = 900,
  kInvalidated = 901,
  kMerge = 902,
  kUnmatched = 903,
  kUnjoined = 904,
  kIsolation = 905,
  kImplicit = 906,
  kCapturedEvent = 907,
  kWrongThread = 908
};
enum Mode : int { kGlobal, kThread, kRelaxed };

struct Capture {
  const StreamBench& bench;

  int begin(void* stream, int mode = kGlobal) const {
    return bench.cuda.call<int(void*, int)>("cuStreamBeginCapture_v2", stream, mode);
  }
  int end(void* stream, void** graph) const {
    return bench.cuda.call<int(void*, void**)>("cuStreamEndCapture", stream, graph);
  }
  int status(void* stream) const {
    int told = -1;
    bench.cuda.call<int(void*, int*)>("cuStreamIsCapturing", stream, &told);
    return told;
  }
  int record(void* event, void* stream) const {
    return bench.cuda.call<int(void*, void*)>("cuEventRecord", event, stream);
  }
  int wait(void* stream, void* event) const {
    return bench.cuda.call<int(void*, void*, unsigned)>("cuStreamWaitEvent", stream, event, 0u);
  }
  // Runs a graph once.
  int run(void* graph, void* stream) const {
    void* executable = nullptr;
    const Cuda& cuda = bench.cuda;
    CUDA_STEP(
        101, kSuccess,
        cuda.call<int(void**, void*, unsigned long long)>("cuGraphInstantiateWithFlags", &executable, graph, 0ULL));
    CUDA_STEP(102, kSuccess, cuda.call<int(void*, void*)>("cuGraphLaunch", executable, stream));
    CUDA_STEP(103, kSuccess, bench.synchronize(stream));
    CUDA_STEP(104, kSuccess, cuda.call<int(void*)>("cuGraphExecDestroy", executable));
    return kSuccess;
  }
  std::size_t count(void* graph, const char* function) const {
    std::size_t nodes = 0;
    bench.cuda.call<int(void*, void**, std::size_t*)>(function, graph, nullptr, &nodes);
    return nodes;
  }
};

int with_capture(const Cuda& cuda, int (*work)(const Capture&, const StreamBench&)) {
  const StreamBench bench(cuda);
  return work(Capture{bench}, bench);
}

TEST(CudaCapture, WhatWasCapturedIsDoneByEachLaunch) {
  const auto work = [](const Capture& capture, const StreamBench& bench) {
    const Cuda& cuda = bench.cuda;
    constexpr unsigned kCount = 64;
    void* add = kernel(cuda, ptx("vector_add.ptx"), "vector_add");
    Pointer sum = cuda.allocate(kCount * 4);
    auto* const host = reinterpret_cast<float*>(bench.words + 256);
    const auto at_host = reinterpret_cast<Pointer>(host);
    for (unsigned i = 0; i < kCount; ++i)
      host[i] = static_cast<float>(i);
    unsigned count = kCount;
    void* parameters[] = {&sum, &sum, &sum, &count};
    using Copy = int(Pointer, Pointer, std::size_t, void*);
    void* stream = bench.stream();
    CUDA_STEP(1, kSuccess, capture.begin(stream));
    CUDA_STEP(2, 1, capture.status(stream));
    CUDA_STEP(3, kSuccess, cuda.call<Copy>("cuMemcpyAsync", sum, at_host, kCount * 4, stream));
    for (int i = 0; i < 3; ++i)
      CUDA_STEP(4, kSuccess, launch(cuda, add, 1, kCount, parameters, nullptr, stream));
    CUDA_STEP(5, kSuccess, cuda.call<Copy>("cuMemcpyAsync", at_host, sum, kCount * 4, stream));
    count = 0;  // parameters are those of the capture
    void* graph = nullptr;
    CUDA_STEP(6, kSuccess, capture.end(stream, &graph));
    CUDA_STEP(7, 0, capture.status(stream));
    CUDA_STEP(8, 5u, capture.count(graph, "cuGraphGetNodes"));
    CUDA_STEP(9, 1u, capture.count(graph, "cuGraphGetRootNodes"));
    CUDA_STEP(10, 2.0F, host[2]);  // nothing was done
    for (unsigned times = 1; times <= 3; ++times) {
      CUDA_STEP(11, kSuccess, capture.run(graph, stream));
      for (unsigned i = 0; i < kCount; ++i)
        CUDA_STEP(12, static_cast<float>(i * (1u << (3 * times))), host[i]);
    }
    CUDA_STEP(13, kSuccess, cuda.call<int(void*)>("cuGraphDestroy", graph));
    CUDA_STEP(14, kInvalidValue, cuda.call<int(void*)>("cuGraphDestroy", graph));
    return 0;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return with_capture(cuda, work); }), "exit 0");
}

TEST(CudaCapture, StreamsJoinByEventsAndMustComeBack) {
  const auto work = [](const Capture& capture, const StreamBench& bench) {
    void* first = bench.stream();
    void* second = bench.stream(kNonBlocking);
    void* fork = bench.event();
    void* join = bench.event();
    for (const bool comes_back : {true, false}) {
      CUDA_STEP(1, kSuccess, capture.begin(first));
      CUDA_STEP(2, kSuccess, bench.write(first, 1, 1));
      CUDA_STEP(3, kSuccess, capture.record(fork, first));
      CUDA_STEP(4, kSuccess, capture.wait(second, fork));
      CUDA_STEP(5, 1, capture.status(second));
      CUDA_STEP(6, kSuccess, bench.write(second, 2, 2));
      CUDA_STEP(7, kSuccess, bench.write(first, 3, 3));
      CUDA_STEP(8, kCapturedEvent, bench.cuda.call<int(void*)>("cuEventQuery", fork));
      CUDA_STEP(9, kCapturedEvent, bench.cuda.call<int(void*)>("cuEventSynchronize", fork));
      void* graph = nullptr;
      CUDA_STEP(10, kUnmatched, capture.end(second, &graph));
      if (comes_back) {
        CUDA_STEP(11, kSuccess, capture.record(join, second));
        CUDA_STEP(12, kSuccess, capture.wait(first, join));
        CUDA_STEP(13, kSuccess, bench.write(first, 4, 4));
      }
      CUDA_STEP(14, comes_back ? kSuccess : int{kUnjoined}, capture.end(first, &graph));
      CUDA_STEP(15, 0, capture.status(second));
      if (!comes_back) continue;
      CUDA_STEP(16, 4u, capture.count(graph, "cuGraphGetNodes"));
      std::size_t edges = 0;
      CUDA_STEP(17, kSuccess,
                bench.cuda.call<int(void*, void**, void**, std::size_t*)>("cuGraphGetEdges", graph, nullptr, nullptr,
                                                                          &edges));
      CUDA_STEP(18, 4u, edges);  // a diamond
      CUDA_STEP(19, 0u, bench.read(1) + bench.read(2) + bench.read(3) + bench.read(4));
      CUDA_STEP(20, kSuccess, capture.run(graph, second));
      for (unsigned i = 1; i <= 4; ++i)
        CUDA_STEP(21, i, bench.read(i));
    }
    return 0;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return with_capture(cuda, work); }), "exit 0");
}

TEST(CudaCapture, WhatCannotBeCapturedIsRefused) {
  const auto work = [](const Capture& capture, const StreamBench& bench) {
    const Cuda& cuda = bench.cuda;
    void* stream = bench.stream();
    void* graph = nullptr;
    CUDA_STEP(1, kIllegalState, capture.end(stream, &graph));
    CUDA_STEP(2, kUnsupported, capture.begin(nullptr));
    CUDA_STEP(3, kInvalidValue, capture.begin(stream, 3));
    // Each of these invalidates: the capture ends without a graph.
    const auto spoils = [&](int expected, const auto& call) {
      if (capture.begin(stream) != kSuccess) return false;
      const bool told = call() == expected && capture.status(stream) == 2 && bench.write(stream, 1, 1) == kInvalidated;
      return told && capture.end(stream, &graph) == kInvalidated && graph == nullptr && capture.status(stream) == 0;
    };
    if (!spoils(kUnsupported, [&] { return bench.synchronize(stream); })) return 4;
    if (!spoils(kUnsupported, [&] { return bench.query(stream); })) return 5;
    if (!spoils(kUnsupported, [&] { return cuda.call<int()>("cuCtxSynchronize"); })) return 6;
    if (!spoils(kImplicit, [&] { return bench.write(nullptr, 1, 1); })) return 7;
    if (!spoils(kImplicit, [&] { return bench.synchronize(nullptr); })) return 8;
    Pointer memory = 0;
    const auto allocate = [&] {
      return cuda.call<int(Pointer*, std::size_t)>("cuMemAlloc_v2", &memory, std::size_t{64});
    };
    if (!spoils(kUnsupported, allocate)) return 9;
    void* outside = bench.event();
    if (!spoils(kIsolation, [&] { return capture.wait(stream, outside); })) return 11;
    void* other = bench.stream();
    CUDA_STEP(12, kSuccess, capture.begin(other));
    CUDA_STEP(13, kSuccess, capture.record(outside, other));
    if (!spoils(kMerge, [&] { return capture.wait(stream, outside); })) return 14;
    CUDA_STEP(15, kSuccess, capture.end(other, &graph));
    CUDA_STEP(16, kSuccess, capture.begin(stream));
    CUDA_STEP(17, kIllegalState, capture.begin(stream));
    int ended = 0;
    std::thread([&] {
      cuda.call<int(void*)>("cuCtxSetCurrent", bench.context);
      ended = capture.end(stream, &graph);
    }).join();
    CUDA_STEP(18, int{kWrongThread}, ended);
    CUDA_STEP(19, kInvalidValue, capture.end(stream, nullptr));
    CUDA_STEP(19, kSuccess, capture.end(stream, &graph));
    // A relaxed capture, or a relaxed thread, may allocate.
    CUDA_STEP(20, kSuccess, capture.begin(stream, kRelaxed));
    CUDA_STEP(21, kSuccess, allocate());
    CUDA_STEP(22, kSuccess, capture.end(stream, &graph));
    int mode = kRelaxed;
    CUDA_STEP(23, kSuccess, cuda.call<int(int*)>("cuThreadExchangeStreamCaptureMode", &mode));
    CUDA_STEP(24, int{kGlobal}, mode);
    CUDA_STEP(25, kSuccess, capture.begin(stream));
    CUDA_STEP(26, kSuccess, allocate());
    CUDA_STEP(27, kSuccess, cuda.call<int(void*)>("cuStreamDestroy_v2", stream));  // its capture goes with it
    return bench.synchronize(other);
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return with_capture(cuda, work); }), "exit 0");
}

// A stream may go once the first one has waited for it, as in NVIDIA's sample graphMemoryNodes.
TEST(CudaCapture, AStreamMayGoOnceItIsWaitedFor) {
  const auto work = [](const Capture& capture, const StreamBench& bench) {
    const Cuda& cuda = bench.cuda;
    void* stream = bench.stream(kNonBlocking);
    const auto forked = [&](bool joined, void** graph) {
      void* other = bench.stream(kNonBlocking);
      void* fork = bench.event();
      void* join = bench.event();
      int code = capture.begin(stream);
      code |= capture.record(fork, stream) | capture.wait(other, fork);
      code |= bench.write(other, 2, 9) | capture.record(join, other);
      if (joined) code |= capture.wait(stream, join);
      code |= cuda.call<int(void*)>("cuStreamDestroy_v2", other);
      for (void* event : {fork, join})
        code |= cuda.call<int(void*)>("cuEventDestroy_v2", event);
      return code != kSuccess ? code : capture.end(stream, graph);
    };
    void* graph = nullptr;
    CUDA_STEP(1, kInvalidated, forked(false, &graph));
    CUDA_STEP(2, kSuccess, forked(true, &graph));
    void* made = nullptr;
    using Make = int(void**, void*, unsigned long long);
    // Launched by kernels, and its memory freed at a launch: one excludes the other.
    CUDA_STEP(9, kInvalidValue, cuda.call<Make>("cuGraphInstantiateWithFlags", &made, graph, 5ULL));
    CUDA_STEP(3, kSuccess, cuda.call<Make>("cuGraphInstantiateWithFlags", &made, graph, 0ULL));
    CUDA_STEP(4, kSuccess, cuda.call<int(void*, void*)>("cuGraphLaunch", made, stream));
    CUDA_STEP(5, kSuccess, bench.synchronize(stream));
    return bench.read(2) == 9 ? 0 : 6;
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return with_capture(cuda, work); }), "exit 0");
}

// Streams depend on nodes of the graph that they are captured into: ending such a capture ended the process.
TEST(CudaCapture, ItsGraphAndNodesStay) {
  const auto work = [](const Capture& capture, const StreamBench& bench) {
    const Cuda& cuda = bench.cuda;
    void* const stream = bench.stream(kNonBlocking);
    void* const other = bench.stream(kNonBlocking);
    void* const fork = bench.event();
    void* graph = nullptr;
    void* const* nodes = nullptr;
    int status = 0;
    std::size_t count = 0;
    using Info = int(void*, int*, void*, void**, void* const**, std::size_t*);
    using One = int(void*);
    CUDA_STEP(1, kSuccess, capture.begin(stream));
    CUDA_STEP(2, kSuccess, bench.write(stream, 1, 1) | capture.record(fork, stream) | capture.wait(other, fork));
    CUDA_STEP(3, kSuccess, bench.write(other, 2, 2));
    CUDA_STEP(4, kSuccess,
              cuda.call<Info>("cuStreamGetCaptureInfo_v2", other, &status, nullptr, &graph, &nodes, &count));
    CUDA_STEP(5, std::size_t{1}, count);
    CUDA_STEP(6, int{kIllegalState}, cuda.call<One>("cuGraphDestroyNode", nodes[0]));
    CUDA_STEP(7, int{kIllegalState}, cuda.call<One>("cuGraphDestroy", graph));
    CUDA_STEP(8, kSuccess, capture.record(fork, other) | capture.wait(stream, fork));
    CUDA_STEP(9, kSuccess, capture.end(stream, &graph));
    CUDA_STEP(10, kSuccess, capture.run(graph, stream));
    CUDA_STEP(11, true, bench.read(1) == 1 && bench.read(2) == 2);
    // Into a child of a graph, whose node holds it.
    void* parent = nullptr;
    void* node = nullptr;
    void* child = nullptr;
    CUDA_STEP(12, kSuccess, cuda.call<int(void**, unsigned)>("cuGraphCreate", &parent, 0u));
    using Add = int(void**, void*, void**, std::size_t, void*);
    CUDA_STEP(13, kSuccess, cuda.call<Add>("cuGraphAddChildGraphNode", &node, parent, nullptr, 0, graph));
    CUDA_STEP(14, kSuccess, cuda.call<int(void*, void**)>("cuGraphChildGraphNodeGetGraph", node, &child));
    using Begin = int(void*, void*, void**, void*, std::size_t, int);
    CUDA_STEP(15, kSuccess,
              cuda.call<Begin>("cuStreamBeginCaptureToGraph", stream, child, nullptr, nullptr, std::size_t{0}, 2));
    CUDA_STEP(16, int{kIllegalState}, cuda.call<One>("cuGraphDestroyNode", node));
    CUDA_STEP(17, int{kIllegalState}, cuda.call<One>("cuGraphDestroy", parent));
    CUDA_STEP(18, kSuccess, cuda.call<One>("cuGraphDestroy", graph));
    CUDA_STEP(19, kSuccess, capture.end(stream, &child));
    return cuda.call<One>("cuGraphDestroy", parent);
  };
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return with_capture(cuda, work); }), "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
