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

// Changes the hints of all pages that [begin, end) touches. CUDA_ERROR_OUT_OF_MEMORY where there are too many ranges.
CUresult change_hints(std::uint64_t begin, std::uint64_t end, void (*change)(Hints& hints, const void* user),
                      const void* user);
template <class Change>
CUresult change_hints(std::uint64_t begin, std::uint64_t end, const Change& change) {
  return change_hints(
      begin, end, [](Hints& hints, const void* user) { (*static_cast<const Change*>(user))(hints); }, &change);
}

// Calls each(hints) with those of all pieces of [begin, end).
void for_hints(std::uint64_t begin, std::uint64_t end, void (*each)(const Hints& hints, void* user), void* user);
template <class Each>
void for_hints(std::uint64_t begin, std::uint64_t end, Each each) {
  for_hints(
      begin, end, [](const Hints& hints, void* user) { (*static_cast<Each*>(user))(hints); }, &each);
}

// Of memory that is freed.
void forget_hints(std::uint64_t begin, std::uint64_t end);

}  // namespace nvmlab::cuda
