// SPDX-License-Identifier: Apache-2.0
// Managed memory in the order of a stream: batches of prefetches and discards, attachments.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <vector>

#include "tests/drivers/cuda/managed.hpp"

namespace nvmlab::cuda_test {
namespace {

bool resident(Pointer at) {
  unsigned char page = 0;
  return ::mincore(reinterpret_cast<void*>(at), kPage, &page) == 0 && (page & 1) != 0;
}

int discard(const StreamBench& bench) {
  const Cuda& cuda = bench.cuda;
  void* stream = bench.stream();
  Pointer at[] = {managed(cuda, 8 * kPage), managed(cuda, 8 * kPage)};
  for (const Pointer each : at)
    CUDA_STEP(1, kSuccess, cuda.call<int(Pointer, unsigned char, std::size_t)>("cuMemsetD8_v2", each, 7, 8 * kPage));
  Pointer which[] = {at[0] + kPage, at[1] + 100};
  std::size_t sizes[] = {2 * kPage, 2 * kPage};
  CUDA_STEP(2, kInvalidValue, cuda.call<Discard>("cuMemDiscardBatchAsync", which, sizes, 2, 0, nullptr));
  CUDA_STEP(3, kInvalidValue, cuda.call<Discard>("cuMemDiscardBatchAsync", which, sizes, 2, 1, stream));
  CUDA_STEP(4, kInvalidValue, cuda.call<Discard>("cuMemDiscardBatchAsync", which, sizes, 0, 0, stream));
  CUDA_STEP(5, kSuccess, bench.gate(stream, 0));
  CUDA_STEP(6, kSuccess, cuda.call<Discard>("cuMemDiscardBatchAsync", which, sizes, 2, 0, stream));
  CUDA_STEP(7, true, resident(at[0] + kPage));  // it has its turn
  bench.open(0);
  CUDA_STEP(8, kSuccess, bench.synchronize(stream));
  for (std::size_t page = 0; page < 8; ++page) {
    CUDA_STEP(9, page != 1 && page != 2, resident(at[0] + page * kPage));
    CUDA_STEP(10, page != 1, resident(at[1] + page * kPage));  // whole pages alone
  }
  unsigned char first[2] = {};
  CUDA_STEP(11, kSuccess, cuda.call<CopyFrom>("cuMemcpyDtoH_v2", first, at[1] + kPage - 1, 2));
  CUDA_STEP(12, 7, int{first[0]});
  return 0;
}

TEST(CudaManaged, WhatIsDiscardedGoesBackToTheSystem) {
  EXPECT_EQ(in_cuda({}, [](const Cuda& cuda) { return on_bench(cuda, discard); }), "exit 0");
}

int batches(const StreamBench& bench) {
  const Cuda& cuda = bench.cuda;
  void* stream = bench.stream();
  const Pointer at = managed(cuda, 10 * kPage);
  std::vector<Pointer> which;
  std::vector<std::size_t> sizes(10, kPage);
  for (unsigned i = 0; i < 10; ++i)
    which.push_back(at + i * kPage);
  Place to[] = {{kDeviceLocation, 1}, {kDeviceLocation, 3}, {kHostLocation, 0}};
  const auto prefetch = [&](const char* name, std::vector<std::size_t> first, void* in) {
    return cuda.call<PrefetchBatch>(name, which.data(), sizes.data(), 10, to, first.data(), first.size(), 0, in);
  };
  for (const auto& wrong : std::vector<std::vector<std::size_t>>{{1, 4}, {0, 0}, {0, 5, 4}, {0, 10}})
    CUDA_STEP(1, kInvalidValue, prefetch("cuMemPrefetchBatchAsync", wrong, stream));
  CUDA_STEP(2, kInvalidValue, prefetch("cuMemPrefetchBatchAsync", {0}, nullptr));
  CUDA_STEP(3, kSuccess, prefetch("cuMemPrefetchBatchAsync", {0, 4, 9}, stream));
  for (unsigned i = 0; i < 10; ++i)
    CUDA_STEP(4, i < 4 ? 1 : i < 9 ? 3 : kHostDevice, asked(cuda, 4, which[i], kPage));
  // One that is refused leaves all as it was.
  to[0].id = 2;
  which[9] += kPage;
  CUDA_STEP(5, kInvalidValue, prefetch("cuMemDiscardAndPrefetchBatchAsync", {0}, stream));
  CUDA_STEP(6, 1, asked(cuda, 4, which[0], kPage));
  which[9] -= kPage;
  CUDA_STEP(7, kSuccess, prefetch("cuMemDiscardAndPrefetchBatchAsync_ptsz", {0}, nullptr));
  CUDA_STEP(8, 2, asked(cuda, 4, at, 10 * kPage));
  return 0;
}

TEST(CudaManaged, BatchesHaveAPlaceForEachPart) {
  EXPECT_EQ(in_cuda({}, [](const Cuda& cuda) { return on_bench(cuda, batches); }), "exit 0");
}

int attach(const StreamBench& bench) {
  const Cuda& cuda = bench.cuda;
  void* stream = bench.stream();
  const Pointer at = managed(cuda, 5000);
  const auto attach_to = [&](void* to, Pointer from, std::size_t size, unsigned flags) {
    return cuda.call<Attach>("cuStreamAttachMemAsync", to, from, size, flags);
  };
  for (const unsigned flags : {1u, 2u, 4u}) {
    CUDA_STEP(1, kSuccess, attach_to(stream, at, 0, flags));
    CUDA_STEP(2, kSuccess, attach_to(stream, at, 5000, flags));
  }
  CUDA_STEP(3, kInvalidValue, attach_to(nullptr, at, 0, 4));
  CUDA_STEP(4, kInvalidValue, attach_to(kLegacy, at, 0, 4));
  CUDA_STEP(5, kSuccess, attach_to(nullptr, at, 0, 2));
  CUDA_STEP(6, kInvalidValue, attach_to(stream, at, 4999, 4));
  CUDA_STEP(7, kInvalidValue, attach_to(stream, at + 1, 0, 4));
  for (const unsigned flags : {0u, 3u, 8u})
    CUDA_STEP(8, kInvalidValue, attach_to(stream, at, 0, flags));
  CUDA_STEP(9, kInvalidHandle, attach_to(reinterpret_cast<void*>(at), at, 0, 1));
  CUDA_STEP(10, kSuccess, cuda.call<int(void*, int)>("cuStreamBeginCapture_v2", stream, 2));
  CUDA_STEP(11, kCaptureUnsupported, attach_to(stream, at, 0, 4));
  void* second = bench.stream();
  CUDA_STEP(12, kSuccess, cuda.call<int(void*, int)>("cuStreamBeginCapture_v2", second, 2));
  CUDA_STEP(13, kCaptureUnsupported, cuda.call<Prefetch>("cuMemPrefetchAsync", at, 5000, 0, second));
  return 0;
}

TEST(CudaManaged, AttachmentsAreOfWholeAllocations) {
  EXPECT_EQ(in_cuda({}, [](const Cuda& cuda) { return on_bench(cuda, attach); }), "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
