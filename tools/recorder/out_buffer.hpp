// SPDX-License-Identifier: Apache-2.0
// What a library writes into during one call: zeroed, aligned for anything, and larger than asked for, because a
// driver can be newer than all headers that were known.
#pragma once

#include <cstddef>
#include <memory>

namespace nvmlab::recorder {

class OutBuffer {
 public:
  std::byte* allocate(std::size_t size) {
    constexpr std::size_t margin = 4096;
    size_ = size;
    memory_ = std::make_unique<std::byte[]>(size * 2 + margin);
    return memory_.get();
  }
  std::byte* get() const { return memory_.get(); }
  std::size_t size() const { return size_; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t size_ = 0;
};

}  // namespace nvmlab::recorder
