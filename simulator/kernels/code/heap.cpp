// SPDX-License-Identifier: Apache-2.0
#include "kernels/code/heap.hpp"

#include <algorithm>

namespace nvmlab::kernels {

std::uint64_t Heap::allocate(std::uint64_t bytes) {
  if (bytes > std::uint64_t{1} << 40) return 0;
  bytes = std::max<std::uint64_t>((bytes + 15) / 16 * 16, 16);
  const std::lock_guard<std::mutex> guard(lock_);
  for (auto at = free_.begin(); at != free_.end(); ++at) {
    const auto [address, room] = *at;
    if (room < bytes) continue;
    free_.erase(at);
    if (room > bytes) free_[address + bytes] = room - bytes;
    taken_[address] = bytes;
    return address;
  }
  return 0;
}

bool Heap::release(std::uint64_t address) {
  const std::lock_guard<std::mutex> guard(lock_);
  const auto found = taken_.find(address);
  if (found == taken_.end()) return false;
  std::uint64_t bytes = found->second;
  taken_.erase(found);
  auto next = free_.upper_bound(address);
  if (next != free_.end() && next->first == address + bytes) {
    bytes += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == address) {
      before->second += bytes;
      return true;
    }
  }
  free_[address] = bytes;
  return true;
}

}  // namespace nvmlab::kernels
