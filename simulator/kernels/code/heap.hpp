// SPDX-License-Identifier: Apache-2.0
// The heap from which malloc of a kernel takes. It belongs to a module and outlives its launches, so that one kernel
// frees what another one has allocated. Tests: tests/unit/kernels/forms/control.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

namespace nvmlab::kernels {

class Heap {
 public:
  Heap(std::uint64_t begin, std::uint64_t bytes) { free_[begin] = bytes; }

  // 0 where there is no room. Aligned as CUDA's, to 16 bytes.
  std::uint64_t allocate(std::uint64_t bytes);
  // False: nothing begins there.
  bool release(std::uint64_t address);

 private:
  std::mutex lock_;
  std::map<std::uint64_t, std::uint64_t> free_;  // bytes by address
  std::map<std::uint64_t, std::uint64_t> taken_;
};

}  // namespace nvmlab::kernels
