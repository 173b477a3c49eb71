// SPDX-License-Identifier: Apache-2.0
//
// The faults that a GPU has, as they lie in the store: in two copies, as its state does, so that a fault and what it
// does become visible together. What lies beneath the fields that faults hold is kept here, so that each can be healed
// by itself whatever was set meanwhile. The rules: engine/topics/faults/. Tests: tests/unit/changes/faults_test.cpp.
#pragma once

#include <cstdint>

namespace nvmlab {

inline constexpr std::uint32_t kMaxFaults = 16;

struct ActiveFault {
  std::uint64_t since_ns;    // machine time
  std::uint64_t counted_ns;  // until then counters of time know of it
  std::uint32_t kind;        // FaultKind
  std::uint32_t number;      // of the Xid, the link, the fan or the location that it is about
  std::uint32_t gpu_instance;
  std::uint32_t compute_instance;
  std::uint32_t times;     // how often it has happened
  std::uint32_t holds;     // what it makes of the state: bits of Held
  std::uint32_t kept;      // of them those that no reset undoes
  std::uint32_t recovery;  // RecoveryAction that it asks for
  std::uint32_t refuses;   // the code that every call about the GPU gets; 0: calls go on
  std::uint32_t missing;   // 1: processes do not count the GPU
};

// A field that faults hold, and what would be stored there without them.
struct Beneath {
  std::uint32_t offset;  // of a scalar fact within Gpu
  std::uint32_t size;
  std::uint64_t value[2];
};

struct Faults {
  static constexpr std::uint32_t kMostBeneath = 96;

  std::uint32_t count;
  std::uint32_t beneath_count;
  ActiveFault items[kMaxFaults];
  Beneath beneath[kMostBeneath];

  // Then all of it is zero.
  bool none() const { return count == 0 && beneath_count == 0; }
  // A damaged count never leads outside.
  std::uint32_t size() const { return count < kMaxFaults ? count : kMaxFaults; }
  std::uint32_t beneath_size() const { return beneath_count < kMostBeneath ? beneath_count : kMostBeneath; }
  const ActiveFault* begin() const { return items; }
  const ActiveFault* end() const { return items + size(); }
  ActiveFault* begin() { return items; }
  ActiveFault* end() { return items + size(); }
  const Beneath* find_beneath(std::uint32_t offset) const {
    for (std::uint32_t i = 0; i < beneath_size(); ++i) {
      if (beneath[i].offset == offset) return beneath + i;
    }
    return nullptr;
  }
  Beneath* find_beneath(std::uint32_t offset) {
    return const_cast<Beneath*>(static_cast<const Faults*>(this)->find_beneath(offset));
  }
};
static_assert(sizeof(Faults) % 8 == 0);

}  // namespace nvmlab
