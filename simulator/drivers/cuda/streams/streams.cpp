// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/streams/streams.hpp"

#include "drivers/cuda/contexts/green_contexts.hpp"
#include "drivers/cuda/contexts/thread_contexts.hpp"
#include "drivers/cuda/streams/shared_events.hpp"
#include "drivers/cuda/streams/stream_objects.hpp"
#include "drivers/cuda/streams/work_threads.hpp"

namespace nvmlab::cuda {

constinit Pool<StreamState, ObjectKind::stream> streams;
constinit Pool<EventState, ObjectKind::event> events;

namespace {

std::uint64_t last_stream_id = kPerThreadStream;

// The stream that a default one stands for: of a context, or of a context and a thread.
CUresult default_stream(std::uint64_t which, StreamState* out) {
  const CUcontext context = current_context();
  if (find_context(context) == nullptr) return context == nullptr ? CUDA_ERROR_INVALID_CONTEXT : no_context(context);
  ThreadContexts* const thread = thread_contexts();
  if (which == 0) which = thread->per_thread_stream ? kPerThreadStream : kLegacyStream;
  if (which == kLegacyStream) {
    *out = {context, 0, kLegacyStream, 0, legacy_queue(context)};
    out->green = current_green();
    return out->queue == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  }
  const std::uint64_t own = thread_number();
  const StreamState* known =
      streams.find_where([&](const StreamState& each) { return each.thread == own && each.context == context; });
  if (known == nullptr) {
    std::uint64_t handle = 0;
    if (const CUresult code = create_stream(context, 0, 0, own, &handle); code != CUDA_SUCCESS) return code;
    known = streams.find(handle);
  }
  *out = *known;
  out->green = current_green();
  return CUDA_SUCCESS;
}

}  // namespace

CUresult create_stream(CUcontext context, std::uint32_t flags, std::int32_t priority, std::uint64_t thread,
                       std::uint64_t* handle) {
  StreamState* const made = streams.create(handle);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  WorkQueue* const queue = create_queue(context, priority, (flags & kNonBlocking) == 0);
  if (queue == nullptr) {
    streams.remove(*handle);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *made = {context, flags, ++last_stream_id, thread, queue};
  if (WorkQueue* const after = find_context(context)->after; after != nullptr) submit_wait(*queue, last_of(*after));
  return CUDA_SUCCESS;
}

CUresult join_green(std::uint64_t handle, CUgreenCtx green) {
  StreamState& stream = *streams.find(handle);
  stream.green = green;
  WorkQueue* const after = green == nullptr ? nullptr : find_green(green)->after;
  return after == nullptr ? CUDA_SUCCESS : submit_wait(*stream.queue, last_of(*after));
}

void release_streams_of(CUcontext context) {
  streams.remove_where([context](const StreamState& stream) {
    if (stream.context != context) return false;
    abandon_queue(stream.queue);
    return true;
  });
  events.remove_where([context](const EventState& event) {
    if (event.context != context) return false;
    release_shared_event(event.shared);
    return true;
  });
  Context* const of = find_context(context);
  abandon_queue(of->legacy);
  abandon_queue(of->after);
  of->legacy = of->after = nullptr;
}

void release_streams_of_thread(std::uint64_t thread) {
  if (thread == 0) return;
  streams.remove_where([thread](const StreamState& stream) {
    if (stream.thread != thread) return false;
    abandon_queue(stream.queue);
    return true;
  });
}

CUresult find_stream(CUstream handle, StreamState* out) {
  const auto number = reinterpret_cast<std::uint64_t>(handle);
  if (number <= kPerThreadStream) return default_stream(number, out);
  const StreamState* found = streams.find(number);
  if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (found->green != nullptr && find_green(found->green) == nullptr) {
    constexpr std::uint32_t kTellsStreams = 13010;  // the first release that has a code of its own for it
    return cuda_release() < kTellsStreams ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_STREAM_DETACHED;
  }
  *out = *found;
  return CUDA_SUCCESS;
}

CUresult leave(const WorkMark& mark, Leave how) {
  switch (how) {
    case Leave::to_threads:
      begin_work(mark);
      return CUDA_SUCCESS;
    case Leave::at_once:
      do_work(mark);
      return CUDA_SUCCESS;
    default:
      await_work(mark);
      return ContextGuard().code();  // what went wrong
  }
}

}  // namespace nvmlab::cuda
