// SPDX-License-Identifier: Apache-2.0
//
// More GPUs than a machine lists: its GPUs again, in order, round after round, each under an identity of its own.
// Tests: tests/unit/machine/replicate_test.cpp, tests/unit/compiler/repeat_test.cpp.
#pragma once

#include <cstdint>

#include "engine/state/generated/state.hpp"
#include "engine/store/identity.hpp"

namespace nvmlab {

// Knows what sets the rounds apart once it has seen all GPUs that the machine lists.
class Replicator {
 public:
  explicit Replicator(const char* machine) : machine_(machine) {}

  void list(const Gpu& gpu);

  // `gpu` is a copy of the listed one that GPU `index` repeats. Gives it identities (kIdentityFields) that no other GPU
  // of the machine has; what the board does not tell stays untold. Where none is listed there is nothing to repeat.
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

  void list_bus(const Pci& pci);
  void move_bus(std::uint32_t round, Pci* pci) const;

  const char* machine_;
  std::uint32_t listed_ = 0;
  Span serials_;
  Span minors_;
  Span modules_;
  Span platform_modules_;
  Span guids_;
  Span domains_;
  PciBus last_bus_{};
  std::uint32_t device_ = 0;
  bool one_run_ = true;  // the listed GPUs sit on one bus after the other
};

}  // namespace nvmlab
