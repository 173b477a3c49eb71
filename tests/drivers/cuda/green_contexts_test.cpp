// SPDX-License-Identifier: Apache-2.0
// Green contexts: their streams, their events, and what they are as a CUcontext.
#include <gtest/gtest.h>

#include "tests/drivers/cuda/resources.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr int kDetached = 917;
constexpr int kCaptureUnsupported = 900;

using AsContext = int(void**, void*);
using StreamOf = int(void**, void*, unsigned, int);
using OneHandle = int(void*);
using OfHandle = int(void*, Resource*, int);
using TwoHandles = int(void*, void*);

void* stream_of(const Cuda& cuda, void* of) {
  void* made = nullptr;
  cuda.call<StreamOf>("cuGreenCtxStreamCreate", &made, of, kNonBlocking, 0);
  return made;
}
void* green_of(const Cuda& cuda, void* stream) {
  void* found = &found;
  return cuda.call<AsContext>("cuStreamGetGreenCtx", reinterpret_cast<void**>(stream), &found) == kSuccess ? found
                                                                                                           : stream;
}

int life(const Cuda& cuda) {
  using State = int(int, unsigned*, int*);
  unsigned flags = 0;
  int active = 1;
  CUDA_STEP(1, kSuccess, cuda.call<State>("cuDevicePrimaryCtxGetState", 0, &flags, &active));
  CUDA_STEP(2, 0, active);
  void* of = green(cuda, 16);
  CUDA_STEP(3, true, of != nullptr);
  CUDA_STEP(4, kSuccess, cuda.call<State>("cuDevicePrimaryCtxGetState", 0, &flags, &active));
  CUDA_STEP(5, 1, active);  // it has retained the primary context
  void* context = nullptr;
  void* current = nullptr;
  CUDA_STEP(6, kInvalidContext, cuda.call<OneHandle>("cuCtxSetCurrent", of));
  CUDA_STEP(7, kSuccess, cuda.call<AsContext>("cuCtxFromGreenCtx", &context, of));
  CUDA_STEP(8, kSuccess, cuda.call<OneHandle>("cuCtxSetCurrent", context));
  CUDA_STEP(9, kSuccess, cuda.call<int(void**)>("cuCtxGetCurrent", &current));
  CUDA_STEP(10, context, current);
  Resource found;
  CUDA_STEP(11, kSuccess, cuda.call<OfHandle>("cuCtxGetDevResource", context, &found, 1));
  CUDA_STEP(12, 16u, found.count);
  CUDA_STEP(13, kSuccess, cuda.call<OfHandle>("cuGreenCtxGetDevResource", of, &found, 1));
  CUDA_STEP(14, 16u, found.count);
  CUDA_STEP(15, kInvalidResourceType, cuda.call<OfHandle>("cuGreenCtxGetDevResource", of, &found, 1000));
  // Memory of the primary context, which outlives the green one.
  void* primary = nullptr;
  CUDA_STEP(16, kSuccess, cuda.call<int(void**, int)>("cuDevicePrimaryCtxRetain", &primary, 0));
  const Pointer memory = cuda.allocate(4096);
  void* owner = nullptr;
  CUDA_STEP(17, kSuccess,
            cuda.call<int(void*, int, Pointer)>("cuPointerGetAttribute", static_cast<void*>(&owner), 1, memory));
  CUDA_STEP(18, primary, owner);
  void* stream = nullptr;
  CUDA_STEP(19, kSuccess, cuda.call<int(void**, unsigned)>("cuStreamCreate", &stream, 0u));
  CUDA_STEP(20, of, green_of(cuda, stream));
  CUDA_STEP(21, of, green_of(cuda, nullptr));
  unsigned long long id = 0;
  unsigned long long same = 1;
  CUDA_STEP(22, kSuccess, cuda.call<int(void*, unsigned long long*)>("cuGreenCtxGetId", of, &id));
  CUDA_STEP(23, kSuccess, cuda.call<int(void*, unsigned long long*)>("cuGreenCtxGetId", nullptr, &same));
  CUDA_STEP(24, id, same);
  CUDA_STEP(25, kSuccess, cuda.call<OneHandle>("cuGreenCtxDestroy", of));
  CUDA_STEP(26, kContextIsDestroyed, cuda.call<OneHandle>("cuGreenCtxDestroy", of));
  CUDA_STEP(27, kContextIsDestroyed, cuda.call<OneHandle>("cuCtxSetCurrent", context));
  CUDA_STEP(28, kContextIsDestroyed, cuda.call<int()>("cuCtxSynchronize"));
  int release = 0;
  cuda.call<int(int*)>("cuDriverGetVersion", &release);
  const int gone = release < 13010 ? int{kContextIsDestroyed} : kDetached;
  CUDA_STEP(29, gone, cuda.call<OneHandle>("cuStreamSynchronize", stream));
  CUDA_STEP(30, kSuccess, cuda.call<OneHandle>("cuCtxSetCurrent", primary));
  CUDA_STEP(31, gone, cuda.call<OneHandle>("cuStreamQuery", stream));
  CUDA_STEP(32, kSuccess, cuda.call<OneHandle>("cuStreamDestroy_v2", stream));
  CUDA_STEP(33, static_cast<void*>(nullptr), green_of(cuda, nullptr));
  CUDA_STEP(34, kSuccess, cuda.call<int(Pointer, unsigned, std::size_t)>("cuMemsetD32_v2", memory, 1, 4));
  CUDA_STEP(35, kSuccess, cuda.call<OfHandle>("cuCtxGetDevResource", primary, &found, 1));
  CUDA_STEP(36, 132u, found.count);
  return 0;
}

TEST(CudaGreenContexts, ArePartsOfThePrimaryContext) {
  for (const char* driver : {"570", "615"})
    EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", "dgx-h100"}, {"NVMLAB_DRIVER", driver}}, life), "exit 0") << driver;
}

// A kernel of the primary context's module runs in streams of two green ones, whichever is current.
int kernels(const Cuda& cuda) {
  void* primary = nullptr;
  cuda.call<int(void**, int)>("cuDevicePrimaryCtxRetain", &primary, 0);
  cuda.call<OneHandle>("cuCtxSetCurrent", primary);
  void* add = kernel(cuda, ptx("vector_add.ptx"), "vector_add");
  constexpr unsigned kCount = 1000;
  Pointer memory[3] = {};
  for (Pointer& each : memory)
    each = cuda.allocate(4 * kCount);
  using Fill = int(Pointer, unsigned, std::size_t);
  for (const bool own : {false, true}) {
    void* of = green(cuda, own ? 64 : 8);
    void* stream = stream_of(cuda, of);
    void* context = nullptr;
    cuda.call<AsContext>("cuCtxFromGreenCtx", &context, of);
    cuda.call<OneHandle>("cuCtxSetCurrent", own ? context : primary);
    CUDA_STEP(1, kSuccess, cuda.call<Fill>("cuMemsetD32_v2", memory[0], 0x3F800000, kCount));
    CUDA_STEP(2, kSuccess, cuda.call<Fill>("cuMemsetD32_v2", memory[1], 0x40000000, kCount));
    CUDA_STEP(3, kSuccess, cuda.call<Fill>("cuMemsetD32_v2", memory[2], 0, kCount));
    unsigned count = kCount;
    void* parameters[] = {&memory[0], &memory[1], &memory[2], &count};
    CUDA_STEP(4, kSuccess, launch(cuda, add, 8, 128, parameters, nullptr, stream));
    CUDA_STEP(5, kSuccess, cuda.call<OneHandle>("cuStreamSynchronize", stream));
    float sum[kCount] = {};
    CUDA_STEP(6, kSuccess, cuda.call<CopyFrom>("cuMemcpyDtoH_v2", sum, memory[2], sizeof sum));
    for (const float each : sum)
      CUDA_STEP(7, 3.0F, each);
    Resource found;
    CUDA_STEP(8, kSuccess, cuda.call<OfHandle>("cuStreamGetDevResource", stream, &found, 1));
    CUDA_STEP(9, own ? 64u : 8u, found.count);
  }
  return 0;
}

TEST(CudaGreenContexts, KernelsRunInTheirStreams) {
  EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", "dgx-h100"}}, kernels), "exit 0");
}

// An event of all streams of a green context; all its streams wait, and one that is created later.
int events(const StreamBench& bench) {
  const Cuda& cuda = bench.cuda;
  void* primary = nullptr;
  cuda.call<int(void**, int)>("cuDevicePrimaryCtxRetain", &primary, 0);
  cuda.call<OneHandle>("cuCtxSetCurrent", primary);
  void* first = green(cuda, 16);
  void* second = green(cuda, 32);
  void* streams[] = {stream_of(cuda, first), stream_of(cuda, first), stream_of(cuda, second)};
  void* event = bench.event();
  for (unsigned i = 0; i < 3; ++i)
    CUDA_STEP(1, kSuccess, bench.gate(streams[i], i));
  CUDA_STEP(2, kSuccess, cuda.call<TwoHandles>("cuGreenCtxRecordEvent", first, event));
  CUDA_STEP(3, kNotReady, cuda.call<OneHandle>("cuEventQuery", event));
  CUDA_STEP(4, kSuccess, cuda.call<TwoHandles>("cuGreenCtxWaitEvent", second, event));
  CUDA_STEP(5, kSuccess, bench.write(streams[2], 3, 7));
  void* later = stream_of(cuda, second);
  CUDA_STEP(6, kSuccess, bench.write(later, 4, 8));
  bench.open(2);
  bench.open(0);
  CUDA_STEP(7, kSuccess, bench.synchronize(streams[0]));
  CUDA_STEP(8, kNotReady, cuda.call<OneHandle>("cuEventQuery", event));  // the other one is held
  CUDA_STEP(9, kNotReady, bench.query(streams[2]));
  CUDA_STEP(10, kNotReady, bench.query(later));
  CUDA_STEP(11, true, bench.read(3) == 0 && bench.read(4) == 0);
  bench.open(1);
  CUDA_STEP(12, kSuccess, bench.synchronize(streams[2]));
  CUDA_STEP(13, kSuccess, bench.synchronize(later));
  CUDA_STEP(14, true, bench.read(3) == 7 && bench.read(4) == 8);
  CUDA_STEP(15, kSuccess, cuda.call<OneHandle>("cuEventQuery", event));
  // The same of a whole context.
  void* plain = bench.stream(kNonBlocking);
  CUDA_STEP(16, kSuccess, bench.gate(plain, 5));
  CUDA_STEP(17, kSuccess, cuda.call<TwoHandles>("cuCtxRecordEvent", primary, event));
  CUDA_STEP(18, kNotReady, cuda.call<OneHandle>("cuEventQuery", event));
  CUDA_STEP(19, kSuccess, cuda.call<TwoHandles>("cuCtxWaitEvent", primary, event));
  CUDA_STEP(20, kSuccess, bench.write(streams[0], 6, 9));
  CUDA_STEP(21, kNotReady, bench.query(streams[0]));
  bench.open(5);
  CUDA_STEP(22, kSuccess, bench.synchronize(streams[0]));
  CUDA_STEP(23, 9u, bench.read(6));
  CUDA_STEP(24, kInvalidHandle, cuda.call<TwoHandles>("cuCtxRecordEvent", bench.context, event));
  CUDA_STEP(25, kInvalidHandle, cuda.call<TwoHandles>("cuGreenCtxRecordEvent", first, primary));
  CUDA_STEP(26, kInvalidContext, cuda.call<TwoHandles>("cuGreenCtxRecordEvent", primary, event));
  CUDA_STEP(27, kSuccess, cuda.call<int(void*, int)>("cuStreamBeginCapture_v2", streams[0], 2));
  CUDA_STEP(28, kCaptureUnsupported, cuda.call<TwoHandles>("cuGreenCtxRecordEvent", first, event));
  return 0;
}

TEST(CudaGreenContexts, EventsAreOfAllStreams) {
  EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", "dgx-h100"}}, [](const Cuda& cuda) { return on_bench(cuda, events); }),
            "exit 0");
}

int refusals(const Cuda& cuda) {
  void* of = green(cuda, 16);
  void* made = nullptr;
  for (const unsigned flags : {0u, 2u, 3u})
    CUDA_STEP(1, kInvalidValue, cuda.call<StreamOf>("cuGreenCtxStreamCreate", &made, of, flags, 0));
  CUDA_STEP(2, kInvalidValue, cuda.call<StreamOf>("cuGreenCtxStreamCreate", nullptr, of, kNonBlocking, 0));
  const auto good = reinterpret_cast<std::uint64_t>(of);
  for (int bit = 0; bit < 64; ++bit) {
    void* wrong = reinterpret_cast<void*>(good ^ std::uint64_t{1} << bit);
    const int code = cuda.call<StreamOf>("cuGreenCtxStreamCreate", &made, wrong, kNonBlocking, 0);
    CUDA_STEP(3, true, code == kInvalidContext || code == kContextIsDestroyed);
  }
  CUDA_STEP(4, kInvalidValue, cuda.call<CreateGreen>("cuGreenCtxCreate", &made, of, 0, 1u));  // it is no descriptor
  Resource all = of_device(cuda, 1);
  void* descriptor = nullptr;
  CUDA_STEP(5, kSuccess, cuda.call<Describe>("cuDevResourceGenerateDesc", &descriptor, &all, 1u));
  CUDA_STEP(6, kInvalidValue, cuda.call<CreateGreen>("cuGreenCtxCreate", &made, descriptor, 0, 1u));
  CUDA_STEP(7, kInvalidDevice, cuda.call<CreateGreen>("cuGreenCtxCreate", &made, descriptor, 99, 1u));
  CUDA_STEP(8, kInvalidValue, cuda.call<CreateGreen>("cuGreenCtxCreate", &made, descriptor, 1, 2u));
  CUDA_STEP(9, kSuccess, cuda.call<CreateGreen>("cuGreenCtxCreate", &made, descriptor, 1, 1u));
  CUDA_STEP(10, kInvalidContext, cuda.call<AsContext>("cuCtxFromGreenCtx", &made, nullptr));
  return 0;
}

TEST(CudaGreenContexts, WhatIsNoneIsTold) { EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", "dgx-h100"}}, refusals), "exit 0"); }

}  // namespace
}  // namespace nvmlab::cuda_test
