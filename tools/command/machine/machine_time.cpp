// SPDX-License-Identifier: Apache-2.0
#include "command/machine/machine_time.hpp"

#include <algorithm>

namespace nvmlab::tool {
namespace {

constexpr std::uint64_t kLongestNapNs = 1'000'000'000;

// How long the host takes until so much machine time has passed.
std::uint64_t time_of_host(std::uint64_t machine_ns, const ClockSegment& clock) {
  if (clock.mode != ClockMode::scaled) return machine_ns;
  const double ns = static_cast<double>(machine_ns) * kRealRate / static_cast<double>(clock.rate);
  return ns < static_cast<double>(kLongestNapNs) ? static_cast<std::uint64_t>(ns) + 1 : kLongestNapNs;
}

}  // namespace

Arrival wait_until(Machine& machine, const HeldSignals& signals, std::uint64_t due_ns) {
  for (;;) {
    if (HeldSignals::one_waits() || !machine.is_up()) return Arrival::stopped;
    const ClockReading reading = machine.clock();
    // A clock that runs shows a little more by the time that anybody looks.
    if (reading.now_ns > due_ns && stands(reading.segment)) return Arrival::too_late;
    if (reading.now_ns >= due_ns) return Arrival::there;
    const std::uint64_t rest_ns = due_ns - reading.now_ns;
    if (reading.segment.mode == ClockMode::frozen) return Arrival::stands;
    if (reading.segment.mode == ClockMode::virtual_time) {
      if (!machine.advance(std::chrono::nanoseconds(rest_ns))) return Arrival::beyond_the_end;
    } else {
      signals.sleep(std::min(time_of_host(rest_ns, reading.segment), kLongestNapNs));
    }
  }
}

std::string why_not_there(Arrival arrival, const Machine& machine) {
  switch (arrival) {
    case Arrival::too_late:
      return "somebody else advances the clock of the machine";
    case Arrival::beyond_the_end:
      return "the clock of the machine cannot be advanced so far";
    case Arrival::stands:
      return "the clock of the machine is frozen; `nvmlab clock resume` lets time pass";
    default:
      return machine.is_up() ? "" : "the machine was taken down";
  }
}

}  // namespace nvmlab::tool
