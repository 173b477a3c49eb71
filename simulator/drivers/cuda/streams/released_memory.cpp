// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/streams/released_memory.hpp"

#include "drivers/cuda/streams/work_queue.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::cuda {
namespace {

constexpr std::uint32_t kMostReleased = 1 << 18;  // as many as there are allocations
struct Released {
  std::uint64_t address;
  std::uint64_t bytes;
};
Released* released = nullptr;
std::uint32_t released_count = 0;

}  // namespace

void unmap_when_idle(std::uint64_t address, std::uint64_t bytes) {
  if (work_runs()) {
    if (released == nullptr) released = static_cast<Released*>(sys::map_private(sizeof(Released) * kMostReleased));
    if (released == nullptr || released_count == kMostReleased) return;  // stays mapped until the process ends
    released[released_count++] = {address, bytes};
  } else {
    sys::unmap(reinterpret_cast<void*>(address), bytes);
  }
}

void unmap_released() {
  while (released_count > 0) {
    const Released& last = released[--released_count];
    sys::unmap(reinterpret_cast<void*>(last.address), last.bytes);
  }
}

}  // namespace nvmlab::cuda
