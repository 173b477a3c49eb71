// SPDX-License-Identifier: Apache-2.0
#include "engine/store/machine_clock.hpp"

namespace nvmlab {
namespace {

// Both clocks of the host. The wall's is read first: a machine that was made while its maker was held up in between
// lies behind the host, never ahead of it.
struct HostTime {
  std::uint64_t wall_ns;
  std::uint64_t monotonic_ns;
};
HostTime host_time() {
  const std::uint64_t wall_ns = sys::realtime_ns();
  return {wall_ns < kLastTime ? wall_ns : kLastTime, sys::monotonic_ns()};
}

ClockSegment standing(ClockMode mode, std::uint64_t machine_ns, const ClockSegment& before) {
  ClockSegment segment = before;  // whose pace a frozen clock keeps
  segment.machine_ns = machine_ns;
  segment.host_ns = 0;
  segment.mode = mode;
  if (before.mode != ClockMode::frozen) segment.resumes = before.mode;
  if (mode == ClockMode::virtual_time) {
    segment.rate = kRealRate;
    segment.resumes = ClockMode::real;
  }
  return segment;
}

ClockSegment running(ClockMode mode, std::uint64_t rate, std::uint64_t machine_ns, const HostTime& host) {
  return {machine_ns, host.monotonic_ns, rate, mode, ClockMode::real};
}

// A running clock keeps its law, moved up; so there is nothing to hand over.
void catch_up(ClockEdit& clock, const HostTime& host) {
  const std::uint64_t now_ns = machine_time_at(clock.segment(), host.monotonic_ns);
  if (host.wall_ns > now_ns) clock.edit().machine_ns += host.wall_ns - now_ns;
}

}  // namespace

void begin_clock(MachineClock* clock, const ClockBeginning& beginning) {
  const HostTime host = host_time();
  switch (beginning.mode) {
    case ClockMode::real:
    case ClockMode::scaled:
      clock->copies[0] = running(beginning.mode, beginning.rate, host.wall_ns, host);
      break;
    case ClockMode::frozen:
      clock->copies[0] = {host.wall_ns, 0, kRealRate, ClockMode::frozen, ClockMode::real};
      break;
    case ClockMode::virtual_time:
      clock->copies[0] = {kVirtualBeginning, 0, kRealRate, ClockMode::virtual_time, ClockMode::real};
      break;
  }
}

Code make(const SetMachineClock& change, ClockEdit& clock) {
  const HostTime host = host_time();
  const ClockSegment& before = clock.segment();
  if (change.mode == ClockMode::real && before.mode == ClockMode::real) {
    catch_up(clock, host);
    return kSuccess;
  }
  const std::uint64_t from_ns = clock.hand_over(host.monotonic_ns);
  switch (change.mode) {
    case ClockMode::real:
      clock.edit() = running(ClockMode::real, kRealRate, host.wall_ns > from_ns ? host.wall_ns : from_ns, host);
      return kSuccess;
    case ClockMode::scaled:
      if (change.rate < kSlowestRate || change.rate > kFastestRate) return kInvalidArgument;
      clock.edit() = running(ClockMode::scaled, change.rate, from_ns, host);
      return kSuccess;
    case ClockMode::frozen:
    case ClockMode::virtual_time:
      if (before.mode != change.mode) clock.edit() = standing(change.mode, from_ns, before);
      return kSuccess;
  }
  return kInvalidArgument;
}

// Not by SetMachineClock: a real clock that was frozen lies behind the host's when it goes on.
Code make(const ResumeMachineClock&, ClockEdit& clock) {
  const ClockSegment& before = clock.segment();
  if (before.mode != ClockMode::frozen) return kInvalidState;
  ClockSegment& segment = clock.edit();
  segment.mode = segment.resumes;
  segment.resumes = ClockMode::real;
  segment.host_ns = stands(segment) ? 0 : sys::monotonic_ns();
  return kSuccess;
}

// As catch_up().
Code make(const AdvanceMachineClock& change, ClockEdit& clock) {
  const ClockSegment& before = clock.segment();
  if (before.mode == ClockMode::frozen) return kInvalidState;
  const std::uint64_t now_ns = machine_time_at(before, sys::monotonic_ns());
  if (change.by_ns > kLastTime - now_ns) return kInvalidArgument;
  clock.edit().machine_ns += change.by_ns;
  return kSuccess;
}

std::uint64_t ClockEdit::hand_over(std::uint64_t host_ns) {
  if (hands_over_ || stands(segment_)) return machine_time_at(segment_, host_ns);
  hands_over_ = true;
  runs_ = segment_;
  at_host_ns_ = host_ns;
  return machine_time_at(runs_, host_ns + kHandoverNs);
}

void ClockEdit::begin_later(std::uint64_t host_ns) {
  segment_.machine_ns +=
      machine_time_at(runs_, host_ns + kHandoverNs) - machine_time_at(runs_, at_host_ns_ + kHandoverNs);
  if (segment_.machine_ns > kLastTime) segment_.machine_ns = kLastTime;
  if (!stands(segment_)) segment_.host_ns = host_ns;
  at_host_ns_ = host_ns;
}

void ClockEdit::publish() {
  if (!changed_) return;
  const std::uint32_t next = __atomic_load_n(&clock_.sequence, __ATOMIC_RELAXED) + 1;
  store(clock_.copies[next & 1], segment_);
  // Looked at last of all: between here and the sequence lie a few instructions.
  for (std::uint64_t host_ns = 0; hands_over_ && (host_ns = sys::monotonic_ns()) > at_host_ns_ + kHandoverNs / 2;) {
    begin_later(host_ns);
    store(clock_.copies[next & 1], segment_);
  }
  __atomic_store_n(&clock_.sequence, next, __ATOMIC_RELEASE);
  changed_ = false;
}

}  // namespace nvmlab
