// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/memory/managed_hints.hpp"

#include <cstring>

#include "engine/store/system.hpp"

namespace nvmlab::cuda {
namespace {

// Sorted by address, none over another. Mapped as a whole and touched as it grows.
constexpr std::uint32_t kMostRanges = 1 << 14;
constexpr std::uint64_t kPage = 4096;
constinit HintRange* ranges = nullptr;
constinit std::uint32_t count = 0;
constexpr Hints kNothing{};

// The first that ends behind this address.
std::uint32_t first_behind(std::uint64_t address) {
  std::uint32_t low = 0;
  std::uint32_t high = count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (ranges[middle].end <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void insert(std::uint32_t at, std::uint64_t begin, std::uint64_t end, const Hints& hints) {
  std::memmove(&ranges[at + 1], &ranges[at], (count - at) * sizeof ranges[0]);
  ranges[at] = {begin, end, hints};
  ++count;
}

void erase(std::uint32_t at) {
  --count;
  std::memmove(&ranges[at], &ranges[at + 1], (count - at) * sizeof ranges[0]);
}

// So that no range lies on both sides of the address.
void cut(std::uint64_t address) {
  const std::uint32_t at = first_behind(address);
  if (at == count || ranges[at].begin >= address) return;
  insert(at + 1, address, ranges[at].end, Hints{ranges[at].hints});
  ranges[at].end = address;
}

std::uint64_t page_of(std::uint64_t address) { return address / kPage * kPage; }
std::uint64_t page_behind(std::uint64_t address) { return page_of(address + kPage - 1); }

}  // namespace

CUresult split_hints(std::uint64_t begin, std::uint64_t end, HintRanges* out) {
  begin = page_of(begin);
  end = page_behind(end);
  if (ranges == nullptr) ranges = static_cast<HintRange*>(sys::map_private(sizeof(HintRange) * kMostRanges));
  // Two cuts, and each gap between ranges that are there becomes one.
  const std::uint32_t touched = first_behind(end) - first_behind(begin);
  if (ranges == nullptr || count + touched + 4 > kMostRanges) return CUDA_ERROR_OUT_OF_MEMORY;
  cut(begin);
  cut(end);
  const std::uint32_t first = first_behind(begin);
  std::uint32_t at = first;
  for (std::uint64_t done = begin; done < end; ++at) {
    if (at == count || ranges[at].begin > done) {
      const std::uint64_t until = at == count || ranges[at].begin > end ? end : ranges[at].begin;
      insert(at, done, until, kNothing);
    }
    done = ranges[at].end;
  }
  *out = {&ranges[first], at - first};
  return CUDA_SUCCESS;
}

// Neighbors with the same hints become one range, and ranges without hints go.
void merge_hints(std::uint64_t begin, std::uint64_t end) {
  begin = page_of(begin);
  end = page_behind(end);
  std::uint32_t at = first_behind(begin == 0 ? 0 : begin - 1);
  while (at < count && ranges[at].begin <= end) {
    if (ranges[at].hints == kNothing) {
      erase(at);
    } else if (at + 1 < count && ranges[at + 1].begin == ranges[at].end && ranges[at + 1].hints == ranges[at].hints) {
      ranges[at].end = ranges[at + 1].end;
      erase(at + 1);
    } else {
      ++at;
    }
  }
}

Hints next_hints(std::uint64_t* at, std::uint64_t end) {
  const std::uint32_t found = first_behind(*at);
  const bool gap = found == count || ranges[found].begin > *at;
  if (!gap) {
    *at = ranges[found].end;
    return ranges[found].hints;
  }
  *at = found == count || ranges[found].begin > end ? end : ranges[found].begin;
  return kNothing;
}

void forget_hints(std::uint64_t begin, std::uint64_t end) {
  // The neighbour's memory may be of the same range. Where there is no room to part them, both forget.
  if (count + 2 <= kMostRanges) {
    cut(begin);
    cut(end);
  }
  for (std::uint32_t at = first_behind(begin); at < count && ranges[at].begin < end;)
    erase(at);
}

}  // namespace nvmlab::cuda
