// SPDX-License-Identifier: Apache-2.0
//
// The clock of a machine. What NVML tells as a time (stamps of events, samples and field values, the start of a
// process, how long a GPU is up) is machine time, in nanoseconds since 1970; how long a caller is ready to wait, for an
// event or a lock, is time of the host.
//
// The store holds one segment: what machine time was when CLOCK_MONOTONIC was so and so, and how fast it runs since.
// Whoever wants to know what time it is computes it from there and writes nothing, so readers without write access, in
// any process, see the same. A clock that stands is told without looking at any other clock. Only a Change puts a new
// segment into force: two copies lie in the store, and the lowest bit of the sequence says which one counts.
//
// Machine time never goes backwards, whoever looks, over any number of changes. Readers go on by a running clock until
// its successor is published, and nobody can say beforehand when that is; so what follows a running clock begins at
// what that would show kHandoverNs later. A writer who was held up for half of that begins anew (ClockEdit::publish).
// Tests: tests/unit/machine/machine_clock_test.cpp, tests/drivers/functions/machine_clock_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/state/code.hpp"
#include "engine/store/system.hpp"
#include "engine/store/words.hpp"

namespace nvmlab {

enum class ClockMode : std::uint32_t {
  real = 0,          // at the pace of the host
  scaled = 1,        // faster or slower
  frozen = 2,        // stands until it is resumed
  virtual_time = 3,  // stands but for what it is advanced
};

inline constexpr std::uint64_t kRealRate = 1'000'000;  // in millionths
inline constexpr std::uint64_t kSlowestRate = 1;
inline constexpr std::uint64_t kFastestRate = kRealRate * 1'000'000;
inline constexpr std::uint64_t kLastTime = ~std::uint64_t{0} >> 1;  // in the year 2262; there every clock stands
// Where a machine with a virtual clock begins: the first second of 2026.
inline constexpr std::uint64_t kVirtualBeginning = 1'767'225'600'000'000'000;
inline constexpr std::uint64_t kHandoverNs = 20'000'000;

// Zeros are a real clock, so that memory of a machine that is gone is none that hangs.
struct ClockSegment {
  std::uint64_t machine_ns;  // at its beginning
  std::uint64_t host_ns;     // CLOCK_MONOTONIC at its beginning; 0 of a clock that stands
  std::uint64_t rate;        // kSlowestRate to kFastestRate; of a frozen clock, what it resumes with
  ClockMode mode;
  ClockMode resumes;  // of a frozen clock
};

struct alignas(64) MachineClock {
  std::uint32_t sequence;
  std::uint32_t reserved;
  ClockSegment copies[2];
};

constexpr bool stands(const ClockSegment& segment) {
  return segment.mode == ClockMode::frozen || segment.mode == ClockMode::virtual_time;
}

// Machine time when CLOCK_MONOTONIC shows `host_ns`.
constexpr std::uint64_t machine_time_at(const ClockSegment& segment, std::uint64_t host_ns) {
  if (stands(segment) || host_ns <= segment.host_ns) return segment.machine_ns;
  std::uint64_t elapsed = host_ns - segment.host_ns;
  if (segment.mode == ClockMode::scaled) {
    // Whole and broken millionths apart: neither product overflows unless the time does.
    std::uint64_t whole = 0;
    if (__builtin_mul_overflow(elapsed / kRealRate, segment.rate, &whole)) return kLastTime;
    if (__builtin_add_overflow(whole, elapsed % kRealRate * segment.rate / kRealRate, &elapsed)) return kLastTime;
  }
  std::uint64_t now = 0;
  return __builtin_add_overflow(segment.machine_ns, elapsed, &now) || now > kLastTime ? kLastTime : now;
}

// Word by word into members: copied as a whole it goes through memory, for the price of a third of a look at the host's
// clock. Both modes are one word.
[[gnu::always_inline]] inline ClockSegment load_segment(const ClockSegment& source) {
  static_assert(offsetof(ClockSegment, mode) % 8 == 0 &&
                offsetof(ClockSegment, resumes) == offsetof(ClockSegment, mode) + 4);
  const std::uint64_t modes = __atomic_load_n(reinterpret_cast<const AliasedWord*>(&source.mode), __ATOMIC_ACQUIRE);
  return {__atomic_load_n(&source.machine_ns, __ATOMIC_ACQUIRE), __atomic_load_n(&source.host_ns, __ATOMIC_ACQUIRE),
          __atomic_load_n(&source.rate, __ATOMIC_ACQUIRE), static_cast<ClockMode>(static_cast<std::uint32_t>(modes)),
          static_cast<ClockMode>(modes >> 32)};
}

// The segment in force, with machine time by it. The host's clock is read before the sequence is looked at again: by a
// law that is no longer in force nobody is told a time from after its end.
struct ClockReading {
  ClockSegment segment;
  std::uint64_t now_ns;
};
[[gnu::always_inline]] inline ClockReading read_clock(const MachineClock& clock) {
  for (;;) {
    const std::uint32_t before = __atomic_load_n(&clock.sequence, __ATOMIC_ACQUIRE);
    const ClockSegment segment = load_segment(clock.copies[before & 1]);
    const std::uint64_t now = stands(segment) ? segment.machine_ns : machine_time_at(segment, sys::monotonic_ns());
    if (__atomic_load_n(&clock.sequence, __ATOMIC_ACQUIRE) == before) [[likely]]
      return {segment, now};
  }
}
inline std::uint64_t machine_time_ns(const MachineClock& clock) { return read_clock(clock).now_ns; }

// How the time of a new machine begins.
struct ClockBeginning {
  ClockMode mode = ClockMode::real;
  std::uint64_t rate = kRealRate;
  bool seeded = false;     // by `seed`; else by the machine's identity
  std::uint64_t seed = 0;  // of all that could differ between two runs
};
// In memory that nobody reads yet.
void begin_clock(MachineClock* clock, const ClockBeginning& beginning);

// Changes of the clock. Only control asks for them.

// At another pace, or to a stand. From then on machine time goes on from where it is; a real clock that lies behind the
// host's jumps to it.
struct SetMachineClock {
  ClockMode mode;
  std::uint64_t rate;  // of a scaled clock
};
// A frozen clock goes on as before.
struct ResumeMachineClock {};
// At once, and it goes on from there.
struct AdvanceMachineClock {
  std::uint64_t by_ns;
};

// What a change makes of a clock before it is published. Used under the WriteLock.
class ClockEdit {
 public:
  explicit ClockEdit(MachineClock& clock) : clock_(clock), segment_(read_clock(clock).segment) {}

  const ClockSegment& segment() const { return segment_; }
  ClockSegment& edit() {
    changed_ = true;
    return segment_;
  }
  // From where another segment goes on.
  std::uint64_t hand_over(std::uint64_t host_ns);
  void publish();

 private:
  void begin_later(std::uint64_t host_ns);

  MachineClock& clock_;
  ClockSegment segment_;
  bool changed_ = false;
  bool hands_over_ = false;
  ClockSegment runs_ = {};        // of a clock that hands over: what readers go by until then
  std::uint64_t at_host_ns_ = 0;  // and when it was looked at
};

// kInvalidArgument: no such mode, or a rate out of range.
Code make(const SetMachineClock& change, ClockEdit& clock);
// kInvalidState: it is not frozen.
Code make(const ResumeMachineClock& change, ClockEdit& clock);
// kInvalidArgument: it would pass kLastTime. kInvalidState: it is frozen.
Code make(const AdvanceMachineClock& change, ClockEdit& clock);

}  // namespace nvmlab
