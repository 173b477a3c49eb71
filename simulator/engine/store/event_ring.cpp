// SPDX-License-Identifier: Apache-2.0
#include "engine/store/event_ring.hpp"

#include "engine/store/system.hpp"
#include "engine/store/words.hpp"

namespace nvmlab {

void raise(EventRing* ring, const Event& event) {
  const std::uint64_t number = ring->raised;
  EventSlot& slot = ring->slots[number % EventRing::kCapacity];
  __atomic_store_n(&slot.stamp, std::uint64_t{0}, __ATOMIC_RELAXED);
  store(slot.event, event);  // each word is released behind the stamp
  __atomic_store_n(&slot.stamp, number + 1, __ATOMIC_RELEASE);
  __atomic_store_n(&ring->raised, number + 1, __ATOMIC_RELEASE);
}

void wake_waiters(EventRing* ring, bool shared) {
  __atomic_fetch_add(&ring->word, 1, __ATOMIC_RELEASE);
  sys::wake(&ring->word, 1 << 30, shared);
}

bool next_event(const EventRing& ring, std::uint64_t* next, std::uint64_t* missed, Event* event) {
  for (;;) {
    const std::uint64_t raised = events_raised(ring);
    if (*next >= raised) return false;
    if (raised - *next > EventRing::kCapacity) {
      const std::uint64_t oldest = raised - EventRing::kCapacity;
      *missed += oldest - *next;
      *next = oldest;
    }
    const EventSlot& slot = ring.slots[*next % EventRing::kCapacity];
    const std::uint64_t wanted = ++*next;
    const std::uint64_t before = __atomic_load_n(&slot.stamp, __ATOMIC_ACQUIRE);
    load_into(*event, slot.event);
    if (before == wanted && __atomic_load_n(&slot.stamp, __ATOMIC_RELAXED) == wanted) return true;
    ++*missed;  // overwritten meanwhile
  }
}

}  // namespace nvmlab
