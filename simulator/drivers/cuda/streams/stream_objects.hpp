// SPDX-License-Identifier: Apache-2.0
// The streams and events of the process, for those files that make and find them. Tests:
// tests/drivers/cuda/streams_test.cpp, concurrency_test.cpp.
#pragma once

#include "drivers/cuda/streams/streams.hpp"

namespace nvmlab::cuda {

inline constexpr std::uint32_t kNonBlocking = 1;

// Flags of events.
inline constexpr std::uint32_t kWithoutTime = 2;
inline constexpr std::uint32_t kInterprocess = 4;

// An event is the last item that it was recorded behind, and the time at which that was done.
struct EventState {
  CUcontext context;
  std::uint32_t flags;
  std::uint32_t records;
  WorkMark mark;  // of no queue: it was not recorded
  std::uint64_t time_ns;
  CaptureTail capture;   // where it was recorded while that was captured
  std::uint64_t shared;  // with other processes (shared_events.hpp); 0: with none
};

extern Pool<StreamState, ObjectKind::stream> streams;
extern Pool<EventState, ObjectKind::event> events;

CUresult create_stream(CUcontext context, std::uint32_t flags, std::int32_t priority, std::uint64_t thread,
                       std::uint64_t* handle);
// A stream becomes one of a green context, or of none.
CUresult join_green(std::uint64_t handle, CUgreenCtx green);

}  // namespace nvmlab::cuda
