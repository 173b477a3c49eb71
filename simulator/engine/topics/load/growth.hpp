// SPDX-License-Identifier: Apache-2.0
//
// What counts while a GPU is loaded and is there many times over: traffic of each NVLink, cycles of each pipe of the
// SMs. Such a fact moves as others do, but its value keeps what it had counted when the segment began, so that the
// segment need not, and says below that by which of the moving values it grows. Tests: tests/unit/load/growth_test.cpp.
#pragma once

#include "engine/store/edit.hpp"
#include "engine/topics/load/load_segment.hpp"

namespace nvmlab {

// By what a fact grows. Links send and receive as much, as collectives do.
enum class Growth : std::uint8_t {
  link_data_kib,
  link_raw_kib,    // with headers
  link_bytes,      // of counters that can be told what to count
  link_packets,    // likewise
  link_cycles,     // likewise
  sm_cycles,       // of one SM
  busy_sm_cycles,  // and of the next hundred: one percent of them, two percent and so on
};
constexpr Growth busy_cycles(std::uint32_t percent) {
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange)
  return static_cast<Growth>(static_cast<std::uint32_t>(Growth::busy_sm_cycles) + (percent < 100 ? percent : 100));
}

inline constexpr std::uint64_t kGrows = 0x80;            // below it is the place of a moving value
inline constexpr std::uint64_t kMostGrown = ~0ull >> 8;  // that a fact may have counted before

// Lossless but for the rounding of the values: it never falls while they do not. `now` has value(Moving), as Motion.
template <class Now>
constexpr std::uint64_t grown(std::uint64_t what, const Now& now) {
  constexpr std::uint64_t flits_of_data = 8;  // that go with each flit of headers
  constexpr std::uint64_t packet = 128;       // bytes of data
  constexpr std::uint64_t flit = 16;          // bytes, of which a link sends one each cycle
  const std::uint64_t before = what >> 8;
  const std::uint64_t by = what & (kGrows - 1);
  const auto which = static_cast<Growth>(by);
  if (which == Growth::sm_cycles) return before + now.value(Moving::sm_cycles);
  if (by >= static_cast<std::uint64_t>(Growth::busy_sm_cycles))
    return before + now.value(Moving::busy_sm_cycles) / 100 * (by - static_cast<std::uint64_t>(Growth::busy_sm_cycles));
  const std::uint64_t kib = now.value(Moving::link_kib);
  switch (which) {
    case Growth::link_data_kib:
      return before + kib;
    case Growth::link_raw_kib:
      return before + kib + kib / flits_of_data;
    case Growth::link_bytes:
      return before + kib * 1024;
    case Growth::link_packets:
      return before + kib * (1024 / packet);
    default:
      return before + (kib + kib / flits_of_data) * (1024 / flit);  // link_cycles
  }
}

// What links or SMs have counted since the segment began: link_kib, sm_cycles or busy_sm_cycles.
std::uint64_t counted(const LoadSegment& segment, Moving which, std::uint64_t now_us);

// Calls `visit` with each fact that may grow, by what, and whether it does.
template <class Visit>
void visit_growing(Nvlink& state, const Visit& visit) {
  for (Nvlink::Link& link : state.links) {
    const bool up = link.active.value_or(0) != 0;
    visit(link.data_tx_kib, Growth::link_data_kib, up);
    visit(link.data_rx_kib, Growth::link_data_kib, up);
    visit(link.raw_tx_kib, Growth::link_raw_kib, up);
    visit(link.raw_rx_kib, Growth::link_raw_kib, up);
    for (Nvlink::Counter& counter : link.counters) {
      static constexpr Growth by_unit[] = {Growth::link_cycles, Growth::link_packets, Growth::link_bytes};
      const std::uint32_t unit = counter.units.value_or(2);
      const bool runs = up && unit < 3 && counter.frozen.value_or(0) == 0;
      visit(counter.tx, by_unit[unit < 3 ? unit : 0], runs);
      visit(counter.rx, by_unit[unit < 3 ? unit : 0], runs);
    }
  }
}
template <class Visit>
void visit_growing(Gpm& state, const Visit& visit) {
  visit(state.sm_elapsed_cycles, Growth::sm_cycles, true);
  const auto pipe = [&visit](Fact<std::uint64_t>& cycles, const Fact<std::uint32_t>& share) {
    visit(cycles, busy_cycles(share.value_or(0)), true);
  };
  pipe(state.sm_active_cycles, state.sm_share_percent);
  pipe(state.tensor_cycles, state.tensor_share_percent);
  pipe(state.dmma_cycles, state.dmma_share_percent);
  pipe(state.hmma_cycles, state.hmma_share_percent);
  pipe(state.imma_cycles, state.imma_share_percent);
  pipe(state.dfma_cycles, state.dfma_share_percent);
  pipe(state.integer_cycles, state.integer_share_percent);
  pipe(state.fp64_cycles, state.fp64_share_percent);
  pipe(state.fp32_cycles, state.fp32_share_percent);
  pipe(state.fp16_cycles, state.fp16_share_percent);
}

// Of a draft: what has counted takes the place of what grows, and what will grow begins to.
class Motion;
void settle_growth(GpuEdit& gpu, const Motion& now);
void set_growing(GpuEdit& gpu);

}  // namespace nvmlab
