// SPDX-License-Identifier: Apache-2.0
// What lies over a state while a change is put together, and what is told of the change once it is published.
#pragma once

#include "engine/store/event_ring.hpp"
#include "engine/store/faults.hpp"
#include "engine/store/pins.hpp"

namespace nvmlab {

// Events that follow from changes of one GPU.
struct RaisedEvents {
  static constexpr std::uint32_t kCapacity = 64;

  std::uint32_t count;
  Event items[kCapacity];

  void add(const Event& event) {
    if (count < kCapacity) items[count++] = event;
  }
};

struct Overlay {
  Pins pins;
  Faults faults;
  RaisedEvents raised;
};

}  // namespace nvmlab
