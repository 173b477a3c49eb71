// SPDX-License-Identifier: Apache-2.0
// What lies over a state while a change is put together, and what is told of the change once it is published.
#pragma once

#include "engine/store/event_ring.hpp"
#include "engine/store/faults.hpp"
#include "engine/store/pins.hpp"

namespace nvmlab {

// Events that changes of one GPU raise, in their order. publish_events() fills in `gpu`.
struct RaisedEvents {
  static constexpr std::uint32_t kCapacity = 64;

  std::uint32_t count;
  Event items[kCapacity];

  bool full() const { return count == kCapacity; }
  void add(const Event& event) {
    if (!full()) items[count++] = event;
  }
};

// The GPU instance, compute instance or vGPU that a change created.
struct Created {
  std::uint32_t id;
  std::uint32_t serial;  // of an instance: no other instance of its GPU has the same; else 0
};

struct Overlay {
  Pins pins;
  Faults faults;
  RaisedEvents raised;
  Created created;
};

}  // namespace nvmlab
