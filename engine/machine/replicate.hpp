// SPDX-License-Identifier: Apache-2.0
//
// More GPUs than a profile lists: its GPUs again, in order, round after round, each under an identity of its own.
// Tests: tests/unit/machine/replicate_test.cpp.
#pragma once

#include <cstdint>

#include "engine/topics/generated/state.hpp"

namespace nvmlab {

// Knows what sets the rounds apart once it has seen all GPUs that the profile lists.
class Replicator {
 public:
  explicit Replicator(const char* profile) : profile_(profile) {}

  void list(const Gpu& gpu);

  // `gpu` is a copy of the listed one that GPU `index` repeats. Gives it a UUID, serial number, PDI, minor number and
  // PCI address that no other GPU of the machine has. Where none is listed there is nothing to repeat.
  void rename(std::uint32_t index, Gpu* gpu) const;

 private:
  // How far a round must be from the next so that the numbers of two rounds never meet.
  struct Span {
    std::uint64_t low = ~std::uint64_t{0};
    std::uint64_t high = 0;
    void take(std::uint64_t number) {
      low = number < low ? number : low;
      high = number > high ? number : high;
    }
    std::uint64_t step() const { return high < low ? 1 : high - low + 1; }
  };

  const char* profile_;
  std::uint32_t listed_ = 0;
  Span serials_;
  Span domains_;
};

}  // namespace nvmlab
