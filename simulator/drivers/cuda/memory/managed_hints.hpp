// SPDX-License-Identifier: Apache-2.0
//
// What a program has advised of managed memory, and where it last asked to prefetch it: by ranges of whole pages, each
// with its own. Pages of which nothing was said have no entry. Nothing moves, since host and GPU have one memory here;
// it is kept because programs ask for it again. Under the lock of the process. Tests:
// tests/drivers/cuda/managed_test.cpp.
#pragma once

#include "drivers/cuda/process/process.hpp"

namespace nvmlab::cuda {

// As CUmemLocation, with a number for host memory that is CUDA's own for the CPU.
struct HintPlace {
  int type;  // 0: none
  int id;
  bool operator==(const HintPlace&) const = default;
};

struct Hints {
  static constexpr std::uint32_t kWords = kMaxVisibleDevices / 64;
  bool read_mostly;
  bool by_host;
  HintPlace preferred;
  HintPlace prefetched;
  std::uint64_t by_device[kWords];  // bit N: device N accesses it
  bool operator==(const Hints&) const = default;
};

struct HintRange {
  std::uint64_t begin;
  std::uint64_t end;
  Hints hints;
};
struct HintRanges {
  HintRange* first;
  std::uint32_t count;
};

// The ranges that are the pages which [begin, end) touches, no more and no less, to be changed; merge_hints() follows.
// CUDA_ERROR_OUT_OF_MEMORY if there are too many ranges.
CUresult split_hints(std::uint64_t begin, std::uint64_t end, HintRanges* out);
void merge_hints(std::uint64_t begin, std::uint64_t end);
// The hints of the piece at `at`, which moves behind that; its whole range, also where `end` comes before.
Hints next_hints(std::uint64_t* at, std::uint64_t end);

// Calls change(hints) for all pages that [begin, end) touches. CUDA_ERROR_OUT_OF_MEMORY as split_hints().
template <class Change>
CUresult change_hints(std::uint64_t begin, std::uint64_t end, const Change& change) {
  HintRanges ranges{};
  if (const CUresult code = split_hints(begin, end, &ranges); code != CUDA_SUCCESS) return code;
  for (std::uint32_t i = 0; i < ranges.count; ++i)
    change(ranges.first[i].hints);
  merge_hints(begin, end);
  return CUDA_SUCCESS;
}

// Calls each(hints) for all pieces of [begin, end).
template <class Each>
void for_hints(std::uint64_t begin, std::uint64_t end, const Each& each) {
  while (begin < end)
    each(next_hints(&begin, end));
}

// Of memory that is freed.
void forget_hints(std::uint64_t begin, std::uint64_t end);

}  // namespace nvmlab::cuda
