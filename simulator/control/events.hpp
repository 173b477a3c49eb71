// SPDX-License-Identifier: Apache-2.0
// Events of a machine, one by one. Tests: tests/unit/control/machine_test.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "engine/store/store.hpp"

namespace nvmlab::control {

/// For one thread. Returns the events that are raised after its construction, in order, each once.
class EventReader {
 public:
  /// `writable`: the user may write to the store; then lost events are counted in it, as waiting programs do.
  EventReader(Store& store, bool writable) : store_(store), writable_(writable), next_(events_raised(store.events)) {}

  /// Returns the next event, or nothing if there is none yet. Does not sleep.
  std::optional<Event> take();

  /// Sleeps until there is an event. Nothing if none came before the timeout, in host time, or the machine was taken
  /// down.
  std::optional<Event> next(std::chrono::nanoseconds timeout);

  /// Returns a reader from the same event on that does not count lost events in the machine.
  EventReader without_counting() const;

  /// How many came while more than 4,096 were waiting for it.
  std::uint64_t lost() const { return lost_; }

 private:
  Store& store_;
  bool writable_;
  std::uint64_t next_;
  std::uint64_t lost_ = 0;
};

/// Since the host started, in nanoseconds: when `timeout` from now is over. Never for what is longer than a clock goes.
std::uint64_t deadline_of(std::chrono::nanoseconds timeout);

}  // namespace nvmlab::control
