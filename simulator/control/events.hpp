// SPDX-License-Identifier: Apache-2.0
// Events of a machine, one by one. Tests: tests/unit/control/machine_test.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "engine/store/store.hpp"

namespace nvmlab::control {

/// Of one thread. What is raised from its making on comes in order, nothing twice.
class EventReader {
 public:
  /// `writable`: whether the user may write to the store; then what is lost is counted in it, as waiters do.
  EventReader(Store& store, bool writable) : store_(store), writable_(writable), next_(events_raised(store.events)) {}

  /// Sleeps until there is one; nothing where none came in time (of the host) or the machine was taken down.
  std::optional<Event> next(std::chrono::nanoseconds timeout);

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
