// SPDX-License-Identifier: Apache-2.0
// Events: places in the work of a stream, and the time at which it came there. Tests:
// tests/drivers/cuda/streams_test.cpp, ipc_events_test.cpp.
#include <initializer_list>

#include "drivers/cuda/graphs/submit.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/hooks/stream_guard.hpp"
#include "drivers/cuda/streams/shared_events.hpp"
#include "drivers/cuda/streams/stream_objects.hpp"
#include "drivers/cuda/streams/work_threads.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::cuda {
namespace {

std::uint64_t number_of(CUevent handle) { return reinterpret_cast<std::uint64_t>(handle); }

template <class Body>
CUresult with_event(CUevent handle, const Body& body) {
  const Locked lock;
  if (in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  EventState* found = events.find(number_of(handle));
  return found == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(*found);
}

CUresult state_of_event(const EventState& event) {
  if (event.capture.of != 0) return CUDA_ERROR_CAPTURED_EVENT;
  Context* const context = find_context(event.context);
  const CUresult fault = context == nullptr ? CUDA_SUCCESS : state_of_context(*context);
  if (fault != CUDA_SUCCESS) return fault;
  const bool done = event.shared == 0 ? reached(event.mark) : is_done(event.shared, last_shared_record(event.shared));
  return done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

// Until the record that is the last one now is done, whichever process makes it.
void await_record(CUevent handle) {
  constexpr std::uint64_t kLook = 100'000;  // ns
  SharedRecord record = 0;
  for (bool first = true, done = false; !done; first = false) {
    if (!first) sys::pause(kLook);
    const Locked lock;
    const EventState* const event = events.find(number_of(handle));
    if (event == nullptr || event->shared == 0) return;
    if (first) record = last_shared_record(event->shared);
    done = is_done(event->shared, record);
  }
}

CUresult queue_record(CUevent handle, CUstream stream, WorkMark* mark) {
  const StreamGuard guard(stream, StreamOf::any_context);
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const EventState* const event = events.find(number_of(handle));
  if (event == nullptr || event->context != guard.stream().context) return CUDA_ERROR_INVALID_HANDLE;
  return record_event(handle, guard.queue(), mark);
}

void remove_event(std::uint64_t handle) {
  if (const EventState* const event = events.find(handle); event != nullptr) release_shared_event(event->shared);
  events.remove(handle);
}

}  // namespace

namespace hooks {

CUresult cuEventCreate(CUevent* phEvent, unsigned int Flags) {
  constexpr unsigned kKnownFlags = 7;  // blocking, without time, for other processes
  if (phEvent == nullptr || (Flags & ~kKnownFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
  const bool interprocess = (Flags & kInterprocess) != 0;
  if (interprocess && (Flags & kWithoutTime) == 0) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  std::uint64_t handle = 0;
  EventState* made = events.create(&handle);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  made->context = guard.handle();
  made->flags = Flags;
  const CUresult code = interprocess ? create_shared_event(guard.context().device, &made->shared) : CUDA_SUCCESS;
  if (code != CUDA_SUCCESS) {
    remove_event(handle);
    return code;
  }
  *phEvent = reinterpret_cast<CUevent>(handle);
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent hEvent) {
  return with_event(hEvent, [hEvent](const EventState&) {
    remove_event(number_of(hEvent));
    return CUDA_SUCCESS;
  });
}
CUresult cuEventDestroy(CUevent hEvent) { return cuEventDestroy_v2(hEvent); }

CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
  if (flags > 1) return CUDA_ERROR_INVALID_VALUE;
  WorkMark mark{};
  const CUresult code = queue_record(hEvent, hStream, &mark);
  return code == CUDA_SUCCESS ? leave(mark, Leave::at_once) : code;
}
CUresult cuEventRecord(CUevent hEvent, CUstream hStream) { return cuEventRecordWithFlags(hEvent, hStream, 0); }

CUresult cuEventQuery(CUevent hEvent) { return with_event(hEvent, state_of_event); }

CUresult cuEventSynchronize(CUevent hEvent) {
  WorkMark mark{};
  CUcontext context = nullptr;
  const CUresult code = with_event(hEvent, [&](const EventState& event) {
    mark = event.mark;
    context = event.context;
    return event.capture.of != 0 ? CUDA_ERROR_CAPTURED_EVENT : CUDA_SUCCESS;
  });
  if (code != CUDA_SUCCESS) return code;
  await_work(mark);
  await_record(hEvent);
  const Locked lock;
  Context* const of = find_context(context);
  return of == nullptr ? CUDA_SUCCESS : state_of_context(*of);
}

CUresult cuEventElapsedTime_v2(float* pMilliseconds, CUevent hStart, CUevent hEnd) {
  if (pMilliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_event(hStart, [&](const EventState& start) {
    const EventState* end = events.find(number_of(hEnd));
    if (end == nullptr || start.records == 0 || end->records == 0 || ((start.flags | end->flags) & kWithoutTime) != 0)
      return CUDA_ERROR_INVALID_HANDLE;
    for (const EventState* each : {&start, end}) {
      if (const CUresult code = state_of_event(*each); code != CUDA_SUCCESS) return code;
    }
    *pMilliseconds = static_cast<float>(static_cast<std::int64_t>(end->time_ns - start.time_ns)) / 1e6F;
    return CUDA_SUCCESS;
  });
}
CUresult cuEventElapsedTime(float* pMilliseconds, CUevent hStart, CUevent hEnd) {
  return cuEventElapsedTime_v2(pMilliseconds, hStart, hEnd);
}

}  // namespace hooks
}  // namespace nvmlab::cuda
