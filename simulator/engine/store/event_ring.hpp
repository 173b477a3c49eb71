// SPDX-License-Identifier: Apache-2.0
//
// What has happened to a machine, for those who wait for it: a ring of events in the store, numbered from 0 on without
// a gap. Whoever holds the WriteLock raises; anybody who has the store mapped reads, also where it is mapped read-only,
// and keeps the number of the next event that is new to it. A reader that is slower than the ring is long is told how
// many it missed.
//
// A slot is stamped with the number of its event plus one, after the event was written, and the count is raised last:
// of a writer that was killed in between nobody sees anything, and the next one writes the slot anew.
// Tests: tests/unit/machine/event_ring_test.cpp.
#pragma once

#include <cstdint>

namespace nvmlab {

struct Event {
  std::uint64_t type;              // one bit of nvmlEventType*, or of nvmlSystemEventType* where it is of the machine
  std::uint64_t data;              // the number of an Xid, else 0
  std::uint64_t at_ns;             // machine time
  std::uint32_t gpu;               // its index, also of an event of the machine that is about a GPU
  std::uint32_t gpu_instance;      // kNoInstance where the event is of the whole GPU
  std::uint32_t compute_instance;  // the same
  std::uint32_t of_machine;        // 1: what nvmlSystemEventSetWait tells
};

inline constexpr std::uint32_t kNoInstance = ~std::uint32_t{0};

struct alignas(64) EventSlot {
  std::uint64_t stamp;
  Event event;
};

struct alignas(64) EventRing {
  static constexpr std::uint32_t kCapacity = 4096;

  std::uint64_t raised;  // how many events there have been
  std::uint32_t word;    // moves with them and when the machine goes away; waiters sleep on it
  std::uint32_t reserved;
  std::uint64_t lost;  // what waiters missed, those that may write to the store
  std::uint64_t reserved_too[5];
  EventSlot slots[kCapacity];
};

inline std::uint64_t events_raised(const EventRing& ring) { return __atomic_load_n(&ring.raised, __ATOMIC_ACQUIRE); }

inline std::uint64_t events_lost(const EventRing& ring) { return __atomic_load_n(&ring.lost, __ATOMIC_RELAXED); }
// Of a ring that the caller may write to; needs no lock.
inline void count_lost(EventRing* ring, std::uint64_t missed) {
  __atomic_fetch_add(&ring->lost, missed, __ATOMIC_RELAXED);
}

// Under the WriteLock. Wakes nobody.
void raise(EventRing* ring, const Event& event);

// Wakes all who wait, in every process that has the ring mapped if it is `shared`. After raise(), without a lock.
void wake_waiters(EventRing* ring, bool shared);

// The event number `*next`, which moves on by one; or false where there is none yet. Events that were overwritten
// before they could be read are passed over and added to `*missed`.
bool next_event(const EventRing& ring, std::uint64_t* next, std::uint64_t* missed, Event* event);

}  // namespace nvmlab
