// SPDX-License-Identifier: Apache-2.0
// Calls in random order with handles of all kinds, live, stale and mixed up, from two threads: each gets a code,
// nothing hangs, and when all contexts are gone the process is able to work again.
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "tests/drivers/cuda/graph_sequences.hpp"
#include "tests/drivers/cuda/pool_properties.hpp"
#include "tests/drivers/cuda/resources.hpp"

namespace nvmlab::cuda_test {
namespace {

class Caller : private GraphSequences {
 public:
  Caller(const Cuda& cuda, void* add, unsigned seed) : GraphSequences(cuda, seed), add_(add) {}

  void step() {
    if (number(8) == 0) come_back();
    switch (number(38)) {
      case 0:
        return make<int(void**, unsigned)>(kStream, "cuStreamCreate", number(3));
      case 1:
        return make<int(void**, unsigned)>(kEvent, "cuEventCreate", number(8));
      case 2:
        return make<int(void**, unsigned)>(kGraph, "cuGraphCreate", 0u);
      case 3:
        return make<int(void**, unsigned, int)>(kContext, "cuCtxCreate_v2", 0u, static_cast<int>(number(3)));
      case 4:
        return make<int(void**, int)>(kPool, "cuDeviceGetMemPool", static_cast<int>(number(3)));
      case 5:
        return make<int(void**, void*, unsigned long long)>(kExecutable, "cuGraphInstantiateWithFlags", any(kGraph),
                                                            static_cast<unsigned long long>(number(2)));
      case 6:
        return make<int(void**, void*)>(kGraph, "cuGraphClone", any(kGraph));
      case 7:
        return end_capture();
      case 8:
        return child();
      case 9:
        return host();
      case 10:
        return allocate();
      case 11:
        call<int(Pointer)>("cuMemFree_v2", memory());
        return;
      case 12:
        call<int(Pointer, void*)>("cuMemFreeAsync", memory(), any(kStream));
        return;
      case 13:
        call<int(Pointer, unsigned, std::size_t, void*)>("cuMemsetD32Async", memory(), number(9), number(2000),
                                                         any(kStream));
        return;
      case 14:
        call<int(Pointer, Pointer, std::size_t, void*)>("cuMemcpyDtoDAsync_v2", memory(), memory(), number(9000),
                                                        any(kStream));
        return;
      case 15:
        call<int(void*, int)>("cuStreamBeginCapture_v2", any(kStream), static_cast<int>(number(4)));
        return;
      case 16:
        call<int(void*, void*)>("cuEventRecord", any(kEvent), any(kStream));
        return;
      case 17:
        call<int(void*, void*, unsigned)>("cuStreamWaitEvent", any(kStream), any(kEvent), 0u);
        return;
      case 18:
        call<int(void*, void*)>("cuGraphLaunch", any(kExecutable), any(kStream));
        return;
      case 19:
        return kernel();
      case 20:
        call<int(void*, Pointer, unsigned, unsigned)>("cuStreamWriteValue32_v2", any(kStream), memory(), number(9), 0u);
        return;
      case 21:
        return edge();
      case 22:
        call<int(void*)>("cuCtxSetCurrent", any(kContext));
        return;
      case 23:
        call<int(void*, std::size_t)>("cuMemPoolTrimTo", any(kPool), std::size_t{number(4096)});
        return;
      case 24:
        return advise();
      case 25:
        call<int(void*, Pointer, std::size_t, unsigned)>("cuStreamAttachMemAsync", any(kStream), memory(),
                                                         std::size_t{0}, 1u << number(3));
        return;
      case 26:
        return share_pool();
      case 27:
        return look_at_graphs();
      case 28:
        return change_graphs();
      case 29:
        return rows_and_batches();
      case 30:
        return green_contexts();
      default:
        return one();
    }
  }

 private:
  // To the context that lives longest.
  void come_back() {
    void* primary = nullptr;
    call<int(void**, int)>("cuDevicePrimaryCtxRetain", &primary, 0);
    call<int(void*)>("cuCtxSetCurrent", primary);
    if (call<int(unsigned*)>("cuCtxGetFlags", &last_flags_) >= kIllegalAddress)
      call<int(int)>("cuDevicePrimaryCtxReset_v2", 0);
  }
  // Functions that take a handle and no more.
  void one() {
    struct Row {
      const char* name;
      Kind kind;
    };
    static constexpr Row kRows[] = {{"cuStreamDestroy_v2", kStream}, {"cuEventDestroy_v2", kEvent},
                                    {"cuGraphDestroy", kGraph},      {"cuGraphExecDestroy", kExecutable},
                                    {"cuGraphDestroyNode", kNode},   {"cuMemPoolDestroy", kPool},
                                    {"cuStreamQuery", kStream},      {"cuStreamSynchronize", kStream},
                                    {"cuEventSynchronize", kEvent},  {"cuEventQuery", kEvent},
                                    {"cuCtxDestroy_v2", kContext}};
    const Row& row = kRows[number(sizeof kRows / sizeof kRows[0])];
    call<int(void*)>(row.name, any(row.kind));
  }
  template <class Signature, class... Arguments>
  void make(Kind kind, const char* name, Arguments... arguments) {
    void* made = nullptr;
    if (call<Signature>(name, &made, arguments...) == kSuccess) keep(kind, made);
  }
  void end_capture() {
    void* graph = nullptr;
    if (call<int(void*, void**)>("cuStreamEndCapture", any(kStream), &graph) != kSuccess) return;
    keep(kGraph, graph);
    std::size_t count = 8;
    void* nodes[8] = {};
    call<int(void*, void**, std::size_t*)>("cuGraphGetNodes", graph, nodes, &count);
    for (std::size_t i = 0; i < count && i < 8; ++i)
      keep(kNode, nodes[i]);
  }
  void child() {
    void* node = nullptr;
    void* before = any(kNode);
    using Add = int(void**, void*, void**, std::size_t, void*);
    if (call<Add>("cuGraphAddChildGraphNode", &node, any(kGraph), &before, std::size_t{number(2)}, any(kGraph)) ==
        kSuccess)
      keep(kNode, node);
  }
  void host() {
    struct {
      void (*function)(void*);
      void* data;
    } asked{[](void*) {}, nullptr};
    void* node = nullptr;
    void* before = any(kNode);
    using Add = int(void**, void*, void**, std::size_t, void*);
    if (call<Add>("cuGraphAddHostNode", &node, any(kGraph), &before, std::size_t{number(2)},
                  static_cast<void*>(&asked)) == kSuccess)
      keep(kNode, node);
  }
  void edge() {
    void* from = any(kNode);
    void* to = any(kNode);
    call<int(void*, void**, void**, std::size_t)>("cuGraphAddDependencies", any(kGraph), &from, &to, std::size_t{1});
  }
  void allocate() {
    Pointer made = 0;
    if (number(4) == 0) {
      if (call<int(Pointer*, std::size_t, unsigned)>("cuMemAllocManaged", &made, number(90000), 1u) == kSuccess)
        memory_.push_back(made);
      return;
    }
    const bool in_stream = number(2) == 0;
    const int code = in_stream ? call<int(Pointer*, std::size_t, void*)>("cuMemAllocAsync", &made,
                                                                         std::size_t{number(9000)}, any(kStream))
                               : call<int(Pointer*, std::size_t)>("cuMemAlloc_v2", &made, std::size_t{number(9000)});
    if (code == kSuccess) memory_.push_back(made);
  }
  void rows_and_batches() {
    call<int(Pointer, std::size_t, unsigned, std::size_t, std::size_t, void*)>(
        "cuMemsetD2D32Async", memory(), 4 * number(90), number(9), number(90), number(30), any(kStream));
    struct {
      int order = 1;
      int hints[4] = {};
      unsigned flags = 0;
    } attributes;
    static char host[4][9000];  // what was freed would be memory of the host, too
    Pointer to[] = {reinterpret_cast<Pointer>(host[0]), reinterpret_cast<Pointer>(host[1])};
    Pointer from[] = {reinterpret_cast<Pointer>(host[2]), reinterpret_cast<Pointer>(host[3])};
    std::size_t sizes[] = {number(9000), number(9000)};
    std::size_t first = 0;
    using Batch = int(Pointer*, Pointer*, std::size_t*, std::size_t, void*, std::size_t*, std::size_t, void*);
    call<Batch>("cuMemcpyBatchAsync_v2", to, from, sizes, std::size_t{2}, static_cast<void*>(&attributes), &first,
                std::size_t{1}, any(kStream));
  }
  void green_contexts() {
    Resource all = of_device(cuda_, static_cast<int>(number(3)));
    void* descriptor = nullptr;
    void* context = nullptr;
    call<Describe>("cuDevResourceGenerateDesc", &descriptor, &all, 1u);
    make<CreateGreen>(kGreen, "cuGreenCtxCreate", descriptor, static_cast<int>(number(3)), 1u);
    make<int(void**, void*, unsigned, int)>(kStream, "cuGreenCtxStreamCreate", any(kGreen), 1u, 0);
    if (call<int(void**, void*)>("cuCtxFromGreenCtx", &context, any(kGreen)) == kSuccess)
      call<int(void*)>("cuCtxSetCurrent", context);
    call<int(void*, void*)>("cuGreenCtxRecordEvent", any(kGreen), any(kEvent));
    call<int(void*, void*)>("cuCtxRecordEvent", any(kContext), any(kEvent));
    call<int(void*, void*)>("cuGreenCtxWaitEvent", any(kGreen), any(kEvent));
    call<int(void*, void*)>("cuCtxWaitEvent", any(kContext), any(kEvent));
    if (number(2) == 0) call<int(void*)>("cuGreenCtxDestroy", any(kGreen));
  }
  // A pool that is imported where it was made, and memory of it that is opened again.
  void share_pool() {
    PoolProperties properties;
    properties.handles = static_cast<int>(number(2));
    make<int(void**, void*)>(kPool, "cuMemPoolCreate", static_cast<void*>(&properties));
    Pointer made = 0;
    if (call<int(Pointer*, std::size_t, void*, void*)>("cuMemAllocFromPoolAsync", &made, number(9000), any(kPool),
                                                       any(kStream)) == kSuccess)
      memory_.push_back(made);
    int file = -1;
    if (call<int(void*, void*, int, unsigned long long)>("cuMemPoolExportToShareableHandle", static_cast<void*>(&file),
                                                         any(kPool), 1, 0ULL) == kSuccess) {
      make<int(void**, void*, int, unsigned long long)>(kPool, "cuMemPoolImportFromShareableHandle",
                                                        reinterpret_cast<void*>(std::intptr_t{file}), 1, 0ULL);
      ::close(file);
    }
    char ticket[64] = {};
    call<int(void*, Pointer)>("cuMemPoolExportPointer", static_cast<void*>(ticket), memory());
    if (call<int(Pointer*, void*, void*)>("cuMemPoolImportPointer", &made, any(kPool), static_cast<void*>(ticket)) ==
        kSuccess)
      memory_.push_back(made);
  }
  void advise() {
    const Pointer at = memory() + number(5000);
    const std::size_t size = number(50000);
    int told = 0;
    call<int(Pointer, std::size_t, int, int)>("cuMemAdvise", at, size, 1 + static_cast<int>(number(6)),
                                              static_cast<int>(number(9)) - 1);
    call<int(Pointer, std::size_t, int, void*)>("cuMemPrefetchAsync", at, size, static_cast<int>(number(9)) - 1,
                                                any(kStream));
    call<int(void*, std::size_t, int, Pointer, std::size_t)>("cuMemRangeGetAttribute", static_cast<void*>(&told),
                                                             sizeof told, 1 + static_cast<int>(number(8)), at, size);
    Pointer which = memory();
    std::size_t all = number(9000);
    call<int(Pointer*, std::size_t*, std::size_t, unsigned long long, void*)>("cuMemDiscardBatchAsync", &which, &all,
                                                                              std::size_t{1}, 0ULL, any(kStream));
  }
  void kernel() {
    Pointer at = memory();
    unsigned count = 8;
    void* parameters[] = {&at, &at, &at, &count};
    call<Launch>("cuLaunchKernel", add_, 1u, 1u, 1u, 8u, 1u, 1u, 0u, any(kStream), parameters, nullptr);
  }

  void* add_;
  unsigned last_flags_ = 0;
};

TEST(CudaSequences, EndWithCodes) {
  for (unsigned seed = 1; seed <= 4; ++seed)
    EXPECT_EQ(in_cuda({},
                      [seed](const Cuda& cuda) {
                        cuda.context();
                        void* add = kernel(cuda, ptx("vector_add.ptx"), "vector_add");
                        const auto run = [&](unsigned number) {
                          Caller caller(cuda, add, number);
                          for (int i = 0; i < 4000; ++i)
                            caller.step();
                        };
                        std::thread beside(run, seed * 1000);
                        run(seed);
                        beside.join();
                        void* popped = nullptr;
                        while (cuda.call<int(void**)>("cuCtxPopCurrent_v2", &popped) == kSuccess) {
                        }
                        int mode = 2;
                        cuda.call<int(int*)>("cuThreadExchangeStreamCaptureMode", &mode);
                        if (cuda.context(5) == nullptr) return 1;
                        const Pointer memory = cuda.allocate(4096);
                        unsigned value = 0;
                        CUDA_STEP(2, kSuccess,
                                  cuda.call<int(Pointer, unsigned, std::size_t)>("cuMemsetD32_v2", memory, 7, 1024));
                        CUDA_STEP(3, kSuccess, cuda.call<CopyFrom>("cuMemcpyDtoH_v2", &value, memory + 4092, 4));
                        return value == 7 ? 0 : 4;
                      }),
              "exit 0")
        << "seed " << seed;
}

}  // namespace
}  // namespace nvmlab::cuda_test
