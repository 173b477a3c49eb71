// SPDX-License-Identifier: Apache-2.0
//
// The sequence latch of a GPU or the node: its state lies there twice, and `sequence` says which copy is published. A
// writer fills the other copy and then moves the sequence on; a reader takes the sequence, reads, and starts over if it
// moved. So a reader takes no lock and writes nothing, and a writer that is killed at any instruction leaves the
// published copy as it was. Tests: tests/unit/machine/latched_test.cpp, store_test.cpp.
#pragma once

#include <cstdint>

#include "engine/store/faults.hpp"
#include "engine/store/pins.hpp"
#include "engine/store/words.hpp"

namespace nvmlab {

template <class State>
struct alignas(64) Latched {
  std::uint64_t handle;       // of the object; 0 or 1 when it is not there (absent_handle()); its upper bits say why
                              // calls go the long way
  std::uint64_t sequence;     // bit 0: the copy that is published; below bit 32 how far it is from the first one, in
                              // bytes; above, a counter
  std::uint32_t generation;   // of the last handle that it had; 0: nobody has asked for it yet, and all here is zero
  std::uint32_t same;         // bit N: topic N is the same in both copies; of writers, under the WriteLock
  std::uint64_t with_driver;  // 1: a GPU that went when the driver was unloaded, and comes back with it
  State copies[2];
  Pins pins;         // imposed on each change; read and written under the WriteLock alone
  Faults faults[2];  // published with the copies of the state
};

// The copy that a sequence publishes. Getters find it by the distance, which is an addition where a number of a copy
// would be a multiplication. The sequence of a damaged store has any bits; those that are looked at add up to no more
// than the distance, so that nothing is read outside of the two copies.
template <class State>
[[gnu::always_inline]] inline const State& copy_in(const Latched<State>& slot, std::uint64_t sequence) {
  static_assert(sizeof(State) % 8 == 0);
  const auto* first = reinterpret_cast<const unsigned char*>(&slot.copies[0]);
  return *reinterpret_cast<const State*>(first + (static_cast<std::uint32_t>(sequence) & std::uint32_t{sizeof(State)}));
}

// The sequence that publishes the other copy.
template <class State>
constexpr std::uint64_t sequence_behind(const Latched<State>&, std::uint64_t sequence) {
  return (sequence + (std::uint64_t{1} << 32)) ^ (std::uint64_t{sizeof(State)} | 1);
}

// Calls `read` with the published copy until it was not written meanwhile. `read` must fetch through load() or
// load_into() and must not follow anything that it has fetched.
template <class State, class Read>
[[gnu::always_inline]] inline auto consistent(const Latched<State>& slot, Read&& read) {
  for (;;) {
    const std::uint64_t before = __atomic_load_n(&slot.sequence, __ATOMIC_ACQUIRE);
    auto result = read(copy_in(slot, before));
    if (is_still(slot.sequence, before)) [[likely]]
      return result;
  }
}

// For what takes several consistent() reads: does them over until nothing was published from the first to the last.
template <class State, class Reads>
inline void unchanged(const Latched<State>& slot, Reads&& reads) {
  for (;;) {
    const std::uint64_t before = __atomic_load_n(&slot.sequence, __ATOMIC_ACQUIRE);
    reads();
    if (__atomic_load_n(&slot.sequence, __ATOMIC_ACQUIRE) == before) [[likely]]
      return;
  }
}

}  // namespace nvmlab
