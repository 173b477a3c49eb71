// SPDX-License-Identifier: Apache-2.0
//
// What can be asked of the load of a GPU, and what becomes of its readings then. Tests: tests/unit/load/load_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/edit.hpp"
#include "engine/topics/load/load_segment.hpp"

namespace nvmlab {

inline constexpr std::uint32_t kSameAir = ~std::uint32_t{0};
inline constexpr std::uint32_t kHottestAir = 100;
inline constexpr std::uint32_t kMostLoadMw = 10'000'000;
inline constexpr std::uint64_t kLongestLoadNs = 100ull * 86'400 * 1'000'000'000;

// From now on this works on the GPU, in place of whatever did; or the process does this, beside other processes.
struct SetLoad {
  LoadKind kind = LoadKind::idle;
  std::uint32_t sm_percent = 0;      // or kOfKind
  std::uint32_t memory_percent = 0;  // or kOfKind
  std::uint32_t air_c = 0;           // temperature of the air that cools the board, or kSameAir
  std::uint64_t for_ns = 0;          // then the GPU is idle again; 0: until something else is asked for
  std::uint32_t encoder_percent = kOfKind;
  std::uint32_t decoder_percent = kOfKind;
  std::uint32_t power_mw = kOfKind;  // what the board draws at its highest clocks, as a trace of it tells
  std::uint32_t pid = 0;             // of the process that works, beside others, until it ends; 0: nobody's, and alone
};

// kNotFound: no such process runs there. kInsufficientResources: kMaxWorkers of them work. kInvalidArgument: no such
// kind, a share above 100 %, air too hot, too long, more than kMostLoadMw. kNotSupported: a board that tells nothing
// that could move.
Code make(const SetLoad& change, GpuEdit& gpu);

// Of a draft in which everything has settled: nothing works on the GPU any more, as after a reset.
void end_load(GpuEdit& gpu);

// Of a draft in which everything has settled: the next segment begins, with whatever limits and locks it has by now;
// nothing where the GPU is not loaded. Then pins and faults are imposed, and set_in_motion() gives what moves over to
// the segment, where a pin or a fault holds a fact beneath it.
void begin_segment(GpuEdit& gpu);
void set_in_motion(GpuEdit& gpu);

}  // namespace nvmlab
