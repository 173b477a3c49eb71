// SPDX-License-Identifier: Apache-2.0
#include "control/events.hpp"

#include "engine/store/system.hpp"

namespace nvmlab::control {

std::uint64_t deadline_of(std::chrono::nanoseconds timeout) {
  const auto span = timeout.count() < 0 ? 0 : static_cast<std::uint64_t>(timeout.count());
  return sys::monotonic_ns() + span;  // the largest span has 63 bits, and no host is up for 292 years
}

std::optional<Event> EventReader::take() {
  Event event{};
  std::uint64_t missed = 0;
  const bool found = next_event(store_.events, &next_, &missed, &event);
  lost_ += missed;
  if (missed > 0 && writable_) count_lost(&store_.events, missed);
  return found ? std::optional(event) : std::nullopt;
}

EventReader EventReader::without_counting() const {
  EventReader reader = *this;
  reader.writable_ = false;
  return reader;
}

std::optional<Event> EventReader::next(std::chrono::nanoseconds timeout) {
  const std::uint64_t deadline = deadline_of(timeout);
  for (;;) {
    const std::uint32_t seen = __atomic_load_n(&store_.events.word, __ATOMIC_ACQUIRE);
    if (const auto event = take()) return event;
    const std::uint64_t now = sys::monotonic_ns();
    if (taken_down(store_) || now >= deadline) return std::nullopt;
    sys::wait_on(&store_.events.word, seen, deadline - now, true);
  }
}

}  // namespace nvmlab::control
