// SPDX-License-Identifier: Apache-2.0
// What is advised of managed memory and where it was prefetched to, against a list of pages.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "tests/drivers/cuda/managed.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::cuda_test {
namespace {

// What one page was told.
struct Page {
  bool read_mostly = false;
  int preferred = kNoDeviceAtAll;
  int prefetched = kNoDeviceAtAll;
  std::array<bool, 5> by{};  // the host, then devices
};

class Model {
 public:
  Model(const Cuda& cuda, unsigned seed) : cuda_(cuda), random_(seed), base_(managed(cuda, kPages * kPage)) {}

  int step() {
    const std::size_t begin = number(kPages * kPage);
    const std::size_t size = 1 + number(kPages * kPage - begin);
    const int device = static_cast<int>(number(5)) - 1;
    const int what = static_cast<int>(number(7));
    const int code = what == 0 ? cuda_.call<Prefetch>("cuMemPrefetchAsync", base_ + begin, size, device, nullptr)
                               : cuda_.call<Advise>("cuMemAdvise", base_ + begin, size, what, device);
    if (code != kSuccess) return 1;
    for (std::size_t page = begin / kPage; page * kPage < begin + size; ++page)
      tell(pages_[page], what, device);
    return check(number(kPages), number(kPages));
  }

 private:
  static constexpr std::size_t kPages = 24;

  static void tell(Page& page, int what, int device) {
    if (what == 0) page.prefetched = device;
    if (what == 1 || what == 2) page.read_mostly = what == 1;
    if (what == 3) page.preferred = device;
    if (what == 4) page.preferred = kNoDeviceAtAll;
    if (what >= 5) page.by[static_cast<std::size_t>(device + 1)] = what == 5;
  }
  int check(std::size_t first, std::size_t last) {
    if (first > last) std::swap(first, last);
    Page all = pages_[first];
    for (std::size_t i = first; i <= last; ++i) {
      const Page& page = pages_[i];
      all.read_mostly = all.read_mostly && page.read_mostly;
      if (page.preferred != all.preferred) all.preferred = kNoDeviceAtAll;
      if (page.prefetched != all.prefetched) all.prefetched = kNoDeviceAtAll;
      for (std::size_t device = 0; device < all.by.size(); ++device)
        all.by[device] = all.by[device] && page.by[device];
    }
    const Pointer at = base_ + first * kPage;
    const std::size_t size = (last - first + 1) * kPage;
    CUDA_STEP(2, int{all.read_mostly}, asked(cuda_, 1, at, size));
    CUDA_STEP(3, all.preferred, asked(cuda_, 2, at, size));
    CUDA_STEP(4, all.prefetched, asked(cuda_, 4, at, size));
    std::array<int, 8> by{};
    CUDA_STEP(5, kSuccess,
              cuda_.call<Ask>("cuMemRangeGetAttribute", static_cast<void*>(by.data()), sizeof by, 3, at, size));
    std::array<int, 8> expected{};
    expected.fill(kNoDeviceAtAll);
    std::size_t told = 0;
    for (std::size_t device = 0; device < all.by.size(); ++device) {
      if (all.by[device]) expected[told++] = static_cast<int>(device) - 1;
    }
    return by == expected ? 0 : 6;
  }
  std::size_t number(std::size_t below) { return random_() % below; }

  const Cuda& cuda_;
  std::mt19937 random_;
  Pointer base_;
  std::array<Page, kPages> pages_;
};

TEST(CudaManaged, HintsAreKeptPageByPage) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      std::vector<Model> models;  // side by side in memory
                      for (unsigned i = 0; i < 3; ++i)
                        models.emplace_back(cuda, i);
                      for (unsigned i = 0; i < 6000; ++i) {
                        if (const int wrong = models[i % 3].step(); wrong != 0) return wrong;
                      }
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaManaged, HintsGoWithTheMemory) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      for (int i = 0; i < 40; ++i) {
                        const Pointer at = managed(cuda, 3 * kPage);
                        CUDA_STEP(1, kNoDeviceAtAll, asked(cuda, 2, at, 3 * kPage));
                        CUDA_STEP(2, kSuccess, cuda.call<Advise>("cuMemAdvise", at + kPage, kPage, 3, 1));
                        CUDA_STEP(3, 1, asked(cuda, 2, at + kPage, 1));
                        CUDA_STEP(4, kNoDeviceAtAll, asked(cuda, 2, at, 3 * kPage));
                        CUDA_STEP(5, kSuccess, cuda.call<int(Pointer)>("cuMemFree_v2", at));
                        CUDA_STEP(6, -100 - kInvalidValue, asked(cuda, 2, at, 1));
                      }
                      return 0;
                    }),
            "exit 0");
}

// Pages that lie side by side and say the same are kept as one.
TEST(CudaManaged, HintsOfNeighboursStay) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      constexpr int kAllocations = 16;
                      Pointer at[kAllocations];
                      for (Pointer& each : at) {
                        each = managed(cuda, kPage);
                        CUDA_STEP(1, kSuccess, cuda.call<Advise>("cuMemAdvise", each, kPage, 1, 0));
                      }
                      for (int i = 0; i < kAllocations; i += 2)
                        CUDA_STEP(2, kSuccess, cuda.call<int(Pointer)>("cuMemFree_v2", at[i]));
                      for (int i = 1; i < kAllocations; i += 2)
                        CUDA_STEP(3, 1, asked(cuda, 1, at[i], kPage));
                      return 0;
                    }),
            "exit 0");
}

int places(const Cuda& cuda) {
  cuda.context();
  const Pointer at = managed(cuda, 4 * kPage);
  const auto advise = [&](int advice, Place place) {
    return cuda.call<AdviseAt>("cuMemAdvise_v2", at, 4 * kPage, advice, place);
  };
  const auto told = [&](int attribute) { return asked(cuda, attribute, at, 4 * kPage); };
  CUDA_STEP(1, 0, told(5));
  CUDA_STEP(2, kNoDeviceAtAll, told(6));
  CUDA_STEP(3, kSuccess, advise(3, {kDeviceLocation, 2}));
  CUDA_STEP(4, kDeviceLocation, told(5));
  CUDA_STEP(5, 2, told(6));
  CUDA_STEP(6, kSuccess, advise(3, {kNodeLocation, 0}));
  CUDA_STEP(7, kNodeLocation, told(5));
  CUDA_STEP(8, 0, told(6));
  CUDA_STEP(9, kHostDevice, told(2));
  CUDA_STEP(10, kSuccess, advise(3, {kHostLocation, 77}));
  CUDA_STEP(11, kHostLocation, told(5));
  CUDA_STEP(12, kSuccess, cuda.call<PrefetchTo>("cuMemPrefetchAsync_v2", at, kPage, Place{4, 0}, 0u, nullptr));
  CUDA_STEP(13, 0, told(7));
  CUDA_STEP(14, kNodeLocation, asked(cuda, 7, at, kPage));
  CUDA_STEP(15, 0, asked(cuda, 8, at, kPage));
  // Ignored where it is of no use, and refused where it is none.
  CUDA_STEP(16, kSuccess, advise(1, {99, 99}));
  CUDA_STEP(17, kSuccess, advise(4, {99, 99}));
  CUDA_STEP(18, kInvalidValue, advise(3, {0, 0}));
  CUDA_STEP(19, kInvalidValue, advise(3, {99, 0}));
  CUDA_STEP(20, kInvalidDevice, advise(3, {kDeviceLocation, 8}));
  CUDA_STEP(21, kInvalidDevice, advise(5, {kDeviceLocation, -1}));
  CUDA_STEP(22, kInvalidValue, advise(5, {kNodeLocation, 0}));
  CUDA_STEP(23, kInvalidValue, advise(3, {kNodeLocation, 4000}));
  CUDA_STEP(24, kNotSupported, advise(3, {6, 0}));
  CUDA_STEP(25, kInvalidValue, advise(0, {kHostLocation, 0}));
  CUDA_STEP(26, kInvalidValue, advise(7, {kHostLocation, 0}));
  CUDA_STEP(27, kInvalidValue, cuda.call<PrefetchTo>("cuMemPrefetchAsync_v2", at, kPage, Place{2, 0}, 1u, nullptr));
  CUDA_STEP(28, kInvalidDevice, cuda.call<Prefetch>("cuMemPrefetchAsync", at, kPage, kNoDeviceAtAll, nullptr));
  return 0;
}

TEST(CudaManaged, PlacesAreDevicesTheHostAndItsNodes) {
  EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", "dgx-h100"}}, places), "exit 0");
}

int other_memory(const Cuda& cuda) {
  cuda.context();
  const Pointer at = managed(cuda, 5000);
  int own = 0;
  const Pointer plain[] = {0, 1, cuda.allocate(kPage), reinterpret_cast<Pointer>(&own), at - 1, at + 5000, ~0ULL};
  for (const Pointer each : plain) {
    CUDA_STEP(1, kInvalidValue, cuda.call<Advise>("cuMemAdvise", each, 4, 1, 0));
    CUDA_STEP(2, kInvalidValue, cuda.call<Prefetch>("cuMemPrefetchAsync", each, 4, 0, nullptr));
    CUDA_STEP(3, -100 - kInvalidValue, asked(cuda, 1, each, 4));
    CUDA_STEP(4, kInvalidValue, cuda.call<Attach>("cuStreamAttachMemAsync", kPerThread, each, 0, 1u));
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{5001}, ~std::size_t{0}}) {
    CUDA_STEP(5, kInvalidValue, cuda.call<Advise>("cuMemAdvise", at, size, 1, 0));
    CUDA_STEP(6, kInvalidValue, cuda.call<Prefetch>("cuMemPrefetchAsync", at, size, 0, nullptr));
    CUDA_STEP(7, -100 - kInvalidValue, asked(cuda, 1, at, size));
  }
  int data[4] = {};
  void* const out = data;
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{8}})
    CUDA_STEP(8, kInvalidValue, cuda.call<Ask>("cuMemRangeGetAttribute", out, size, 2, at, 4));
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}})
    CUDA_STEP(9, kInvalidValue, cuda.call<Ask>("cuMemRangeGetAttribute", out, size, 3, at, 4));
  for (const int attribute : {-1, 0, 9})
    CUDA_STEP(10, kInvalidValue, cuda.call<Ask>("cuMemRangeGetAttribute", out, 4, attribute, at, 4));
  using AskAll = int(void**, std::size_t*, int*, std::size_t, Pointer, std::size_t);
  void* outs[] = {&data[0], &data[1]};
  std::size_t sizes[] = {4, 8};
  int attributes[] = {1, 3};
  CUDA_STEP(11, kSuccess, cuda.call<Advise>("cuMemAdvise", at, 5000, 1, 0));
  CUDA_STEP(12, kSuccess, cuda.call<AskAll>("cuMemRangeGetAttributes", outs, sizes, attributes, 2, at, 5000));
  CUDA_STEP(13, true, data[0] == 1 && data[1] == kNoDeviceAtAll && data[2] == kNoDeviceAtAll && data[3] == 0);
  CUDA_STEP(14, kInvalidValue, cuda.call<AskAll>("cuMemRangeGetAttributes", outs, sizes, attributes, 0, at, 5000));
  CUDA_STEP(15, kInvalidValue, cuda.call<AskAll>("cuMemRangeGetAttributes", outs, sizes, nullptr, 2, at, 5000));
  return 0;
}

TEST(CudaManaged, OtherMemoryTakesNoHints) { EXPECT_EQ(in_cuda({}, other_memory), "exit 0"); }

// Managed memory that host and GPU cannot use at once takes none.
TEST(CudaManaged, OldDevicesTakeNoHints) {
  const TempFolder folder;
  const std::string machine = folder.path() / "old.yaml";
  std::ofstream(machine) << "machine: old\nsource: ours\nsources:\n  ours: {kind: assumed, why: a test}\ngpus:\n"
                            "  - profile: gtx-1080\n    identity: {compute_capability_major: 5}\n";
  EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", machine}},
                    [](const Cuda& cuda) {
                      cuda.context();
                      const Pointer at = managed(cuda, kPage);
                      CUDA_STEP(1, 0, cuda.attribute(89, 0));
                      CUDA_STEP(2, kInvalidDevice, cuda.call<Prefetch>("cuMemPrefetchAsync", at, kPage, 0, nullptr));
                      CUDA_STEP(3, kInvalidDevice,
                                cuda.call<Prefetch>("cuMemPrefetchAsync", at, kPage, kHostDevice, nullptr));
                      CUDA_STEP(4, kInvalidDevice, cuda.call<Advise>("cuMemAdvise", at, kPage, 3, 0));
                      CUDA_STEP(5, kSuccess, cuda.call<Advise>("cuMemAdvise", at, kPage, 1, 0));
                      return 0;
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
