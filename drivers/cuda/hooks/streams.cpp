// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/streams.hpp"

#include "drivers/cuda/generated/hooks.hpp"
#include "engine/machine/system.hpp"

namespace nvmlab::cuda {
namespace {

constinit Pool<StreamState, ObjectKind::stream> streams;
constinit Pool<EventState, ObjectKind::event> events;
std::uint64_t last_stream_id = 0;

constexpr std::uint64_t kLegacyStream = 1;
constexpr std::uint64_t kPerThreadStream = 2;
constexpr int kHighestPriority = -5;

std::uint64_t number(const void* handle) { return reinterpret_cast<std::uint64_t>(handle); }

bool is_default(CUstream handle) { return number(handle) <= kPerThreadStream; }

// The stream, or for a default one what it would be in the current context.
template <class Body>
CUresult with_stream(CUstream handle, const Body& body) {
  if (is_default(handle)) {
    return with_current([&](CUcontext context, const Context&) {
      return body(StreamState{context, 0, 0, number(handle) == kPerThreadStream ? kPerThreadStream : kLegacyStream});
    });
  }
  const Locked lock;
  const StreamState* found = streams.find(number(handle));
  return found == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(*found);
}

CUresult create(CUstream* out, unsigned flags, int priority) {
  constexpr unsigned kNonBlocking = 1;
  if (out == nullptr || flags > kNonBlocking) return CUDA_ERROR_INVALID_VALUE;
  return with_current([&](CUcontext context, const Context&) {
    std::uint64_t handle = 0;
    StreamState* made = streams.create(&handle);
    if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    const int lowest = priority > 0 ? 0 : priority;
    *made = {context, flags, lowest < kHighestPriority ? kHighestPriority : lowest,
             ++last_stream_id + kPerThreadStream};
    *out = reinterpret_cast<CUstream>(handle);
    return CUDA_SUCCESS;
  });
}

template <class Body>
CUresult with_event(CUevent handle, const Body& body) {
  const Locked lock;
  EventState* found = events.find(number(handle));
  return found == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(*found);
}

template <class Out, class T>
CUresult give(CUstream stream, Out* out, T StreamState::*member) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_stream(stream, [&](const StreamState& found) {
    *out = static_cast<Out>(found.*member);
    return CUDA_SUCCESS;
  });
}

CUresult done(CUstream stream) {
  return with_stream(stream, [](const StreamState&) { return CUDA_SUCCESS; });
}

}  // namespace

void release_streams_of(CUcontext context) {
  streams.remove_where([context](const StreamState& stream) { return stream.context == context; });
  events.remove_where([context](const EventState& event) { return event.context == context; });
}

CUresult check_stream(CUstream handle) {
  return is_default(handle) || streams.find(number(handle)) != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

namespace hooks {

CUresult cuStreamCreate(CUstream* phStream, unsigned int Flags) { return create(phStream, Flags, 0); }
CUresult cuStreamCreateWithPriority(CUstream* phStream, unsigned int flags, int priority) {
  return create(phStream, flags, priority);
}

CUresult cuStreamDestroy_v2(CUstream hStream) {
  const Locked lock;
  if (streams.find(number(hStream)) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  streams.remove(number(hStream));
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream hStream) { return cuStreamDestroy_v2(hStream); }

CUresult cuStreamSynchronize(CUstream hStream) { return done(hStream); }
CUresult cuStreamQuery(CUstream hStream) { return done(hStream); }

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
  if (Flags > 1) return CUDA_ERROR_INVALID_VALUE;
  const CUresult code = with_event(hEvent, [](const EventState&) { return CUDA_SUCCESS; });
  return code == CUDA_SUCCESS ? done(hStream) : code;
}

CUresult cuStreamGetFlags(CUstream hStream, unsigned int* flags) { return give(hStream, flags, &StreamState::flags); }
CUresult cuStreamGetPriority(CUstream hStream, int* priority) {
  return give(hStream, priority, &StreamState::priority);
}
CUresult cuStreamGetCtx(CUstream hStream, CUcontext* pctx) { return give(hStream, pctx, &StreamState::context); }
CUresult cuStreamGetId(CUstream hStream, unsigned long long* streamId) {
  return give(hStream, streamId, &StreamState::id);
}

CUresult cuStreamGetDevice(CUstream hStream, CUdevice* device) {
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_stream(hStream, [&](const StreamState& found) {
    const Context* context = find_context(found.context);
    if (context == nullptr) return no_context(found.context);
    *device = static_cast<CUdevice>(context->device);
    return CUDA_SUCCESS;
  });
}

// Called without the lock: it may not call CUDA, but it may wait for a thread that does.
CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void* userData) {
  if (fn == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult code = done(hStream);
  if (code == CUDA_SUCCESS) fn(userData);
  return code;
}

CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void* userData, unsigned int flags) {
  if (callback == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const CUresult code = done(hStream);
  if (code == CUDA_SUCCESS) callback(hStream, CUDA_SUCCESS, userData);
  return code;
}

CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus* captureStatus) {
  if (captureStatus == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *captureStatus = 0;
  return done(hStream);
}

CUresult cuEventCreate(CUevent* phEvent, unsigned int Flags) {
  constexpr unsigned kKnownFlags = 7;  // blocking, without time, for other processes
  constexpr unsigned kInterprocess = 4;
  if (phEvent == nullptr || (Flags & ~kKnownFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
  if ((Flags & kInterprocess) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  return with_current([&](CUcontext context, const Context&) {
    std::uint64_t handle = 0;
    EventState* made = events.create(&handle);
    if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    made->context = context;
    made->flags = Flags;
    *phEvent = reinterpret_cast<CUevent>(handle);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventDestroy_v2(CUevent hEvent) {
  const Locked lock;
  if (events.find(number(hEvent)) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  events.remove(number(hEvent));
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent hEvent) { return cuEventDestroy_v2(hEvent); }

CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
  if (flags > 1) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult code = done(hStream); code != CUDA_SUCCESS) return code;
  return with_event(hEvent, [](EventState& event) {
    event.recorded = true;
    event.time_ns = sys::monotonic_ns();
    return CUDA_SUCCESS;
  });
}
CUresult cuEventRecord(CUevent hEvent, CUstream hStream) { return cuEventRecordWithFlags(hEvent, hStream, 0); }

CUresult cuEventQuery(CUevent hEvent) {
  return with_event(hEvent, [](const EventState&) { return CUDA_SUCCESS; });
}
CUresult cuEventSynchronize(CUevent hEvent) { return cuEventQuery(hEvent); }

CUresult cuEventElapsedTime_v2(float* pMilliseconds, CUevent hStart, CUevent hEnd) {
  constexpr unsigned kWithoutTime = 2;
  if (pMilliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  const EventState* start = events.find(number(hStart));
  const EventState* end = events.find(number(hEnd));
  if (start == nullptr || end == nullptr || !start->recorded || !end->recorded ||
      ((start->flags | end->flags) & kWithoutTime) != 0)
    return CUDA_ERROR_INVALID_HANDLE;
  *pMilliseconds = static_cast<float>(static_cast<std::int64_t>(end->time_ns - start->time_ns)) / 1e6F;
  return CUDA_SUCCESS;
}
CUresult cuEventElapsedTime(float* pMilliseconds, CUevent hStart, CUevent hEnd) {
  return cuEventElapsedTime_v2(pMilliseconds, hStart, hEnd);
}

}  // namespace hooks
}  // namespace nvmlab::cuda
