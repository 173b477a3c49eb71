// SPDX-License-Identifier: Apache-2.0
// Events of all that a context, or a green context, was asked for. Tests: tests/drivers/cuda/green_contexts_test.cpp.
#include "drivers/cuda/contexts/green_contexts.hpp"
#include "drivers/cuda/graphs/captures.hpp"
#include "drivers/cuda/graphs/submit.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/streams/work_threads.hpp"

namespace nvmlab::cuda {
namespace {

// The streams of a context; those of a green one where it is not null.
struct Streams {
  CUcontext context;
  CUgreenCtx green;
  WorkQueue** after;  // that streams wait for which are created later

  bool have(const StreamState& stream) const {
    return stream.context == context && (green == nullptr || stream.green == green);
  }
};

template <class Each>
CUresult for_queues(const Streams& of, const Each& each) {
  CUresult code = CUDA_SUCCESS;
  streams.for_each([&](const StreamState& stream) {
    if (code == CUDA_SUCCESS && of.have(stream)) code = each(*stream.queue);
  });
  WorkQueue* const legacy = of.green == nullptr ? legacy_queue(of.context) : nullptr;
  return code == CUDA_SUCCESS && legacy != nullptr ? each(*legacy) : code;
}

CUresult check_captures(const Streams& of) {
  CUresult code = CUDA_SUCCESS;
  for_queues(of, [&code](WorkQueue& queue) {
    if (queue.capture.of != 0) code = refuse_captured(queue, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    return CUDA_SUCCESS;
  });
  return code;
}

const EventState* find_event(CUevent handle) { return events.find(reinterpret_cast<std::uint64_t>(handle)); }

// By a queue of its own, which waits for the others and is gone when it has recorded.
CUresult record_all(const Streams& of, CUevent handle, WorkMark* mark) {
  const EventState* const event = find_event(handle);
  if (event == nullptr || event->context != of.context) return CUDA_ERROR_INVALID_HANDLE;
  if (const CUresult code = check_captures(of); code != CUDA_SUCCESS) return code;
  WorkQueue* const gathering = create_queue(of.context, 0, false);
  if (gathering == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult code = for_queues(of, [gathering](WorkQueue& queue) { return submit_wait(*gathering, last_of(queue)); });
  if (code == CUDA_SUCCESS) code = record_event(handle, *gathering, mark);
  abandon_queue(gathering);
  return code;
}

CUresult wait_all(const Streams& of, CUevent handle) {
  const EventState* const event = find_event(handle);
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (const CUresult code = check_captures(of); code != CUDA_SUCCESS) return code;
  if (event->capture.of != 0) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (*of.after == nullptr) *of.after = create_queue(of.context, 0, false);
  if (*of.after == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUresult code = wait_for_event(handle, **of.after);
  if (code != CUDA_SUCCESS) return code;
  const WorkMark last = last_of(**of.after);
  return for_queues(of, [&last](WorkQueue& queue) { return submit_wait(queue, last); });
}

// Calls body(streams) with those of a context, or of the green one that it stands for.
template <class Body>
CUresult with_streams(CUcontext handle, const Body& body) {
  const Locked lock;
  if (in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  const CUcontext asked = handle == nullptr ? current_handle() : handle;
  Context* const context = find_context(asked);
  if (context == nullptr) return no_context(asked);
  if (const CUresult code = state_of_context(*context); code != CUDA_SUCCESS) return code;
  const CUgreenCtx green = green_of(asked);
  return body(Streams{as_primary(asked), green, green == nullptr ? &context->after : &find_green(green)->after});
}

template <class Body>
CUresult with_streams(CUgreenCtx handle, const Body& body) {
  CUcontext alias = nullptr;
  {
    const Locked lock;
    const GreenContext* const green = find_green(handle);
    if (green == nullptr) return no_green(handle);
    alias = green->alias;
  }
  return with_streams(alias, body);
}

template <class Handle>
CUresult record(Handle of, CUevent event) {
  WorkMark mark{};
  const CUresult code = with_streams(of, [&](const Streams& found) { return record_all(found, event, &mark); });
  return code == CUDA_SUCCESS ? leave(mark, Leave::at_once) : code;
}
template <class Handle>
CUresult wait(Handle of, CUevent event) {
  const CUresult code = with_streams(of, [&](const Streams& found) { return wait_all(found, event); });
  if (code == CUDA_SUCCESS) hand_out_work();
  return code;
}

}  // namespace

namespace hooks {

CUresult cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent) { return record(hCtx, hEvent); }
CUresult cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent) { return wait(hCtx, hEvent); }
CUresult cuGreenCtxRecordEvent(CUgreenCtx hCtx, CUevent hEvent) { return record(hCtx, hEvent); }
CUresult cuGreenCtxWaitEvent(CUgreenCtx hCtx, CUevent hEvent) { return wait(hCtx, hEvent); }

}  // namespace hooks
}  // namespace nvmlab::cuda
