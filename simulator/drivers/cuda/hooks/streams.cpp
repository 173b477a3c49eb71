// SPDX-License-Identifier: Apache-2.0
// Streams that a program creates, and waiting for them. Tests: tests/drivers/cuda/streams_test.cpp.
#include "drivers/cuda/contexts/green_contexts.hpp"
#include "drivers/cuda/graphs/captures.hpp"
#include "drivers/cuda/graphs/submit.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/hooks/stream_guard.hpp"
#include "drivers/cuda/modules/launch_attributes.hpp"
#include "drivers/cuda/streams/work_threads.hpp"

namespace nvmlab::cuda {
namespace {

std::uint64_t number(const void* handle) { return reinterpret_cast<std::uint64_t>(handle); }

CUresult create(CUstream* out, unsigned flags, int priority) {
  if (out == nullptr || flags > kNonBlocking) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  std::uint64_t handle = 0;
  const CUresult code = create_stream(guard.handle(), flags, clamp_priority(priority), 0, &handle);
  if (code != CUDA_SUCCESS) return code;
  *out = reinterpret_cast<CUstream>(handle);
  return join_green(handle, current_green());
}

// What a stream is, of whichever context.
template <class Body>
CUresult look_at(CUstream handle, const Body& body) {
  const Locked lock;
  if (in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  StreamState found{};
  const CUresult code = find_stream(handle, &found);
  return code == CUDA_SUCCESS ? body(found) : code;
}

template <class Out, class T>
CUresult give(CUstream stream, Out* out, T StreamState::*member) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return look_at(stream, [&](const StreamState& found) {
    *out = static_cast<Out>(found.*member);
    return CUDA_SUCCESS;
  });
}

CUresult fault_of(const StreamState& stream) {
  Context* const context = find_context(stream.context);
  return context == nullptr ? no_context(stream.context) : state_of_context(*context);
}

// Whether the stream has work; the legacy one has that of all which it waits for.
bool is_busy(const StreamState& stream, std::uint64_t newest) {
  return stream.id == kLegacyStream ? has_work(stream.context, newest, QueueChoice::blocking)
                                    : stream.queue->head != nullptr;
}

CUresult queue_wait(CUstream handle, CUevent event) {
  const StreamGuard guard(handle, StreamOf::any_context);
  return guard.code() == CUDA_SUCCESS ? wait_for_event(event, guard.queue()) : guard.code();
}

// Nobody waits for what is captured.
CUresult check_waiting(const StreamState& stream) {
  if (stream.queue->capture.of != 0) return refuse_captured(*stream.queue, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  return stream.id == kLegacyStream ? check_implicit(*stream.queue) : CUDA_SUCCESS;
}

}  // namespace

namespace hooks {

CUresult cuStreamCreate(CUstream* phStream, unsigned int Flags) { return create(phStream, Flags, 0); }
CUresult cuStreamCreateWithPriority(CUstream* phStream, unsigned int flags, int priority) {
  return create(phStream, flags, priority);
}

// What it was given is done all the same.
CUresult cuStreamDestroy_v2(CUstream hStream) {
  const Locked lock;
  if (in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  const StreamState* found = streams.find(number(hStream));
  if (found == nullptr || found->thread != 0) return CUDA_ERROR_INVALID_HANDLE;
  leave_capture(*found->queue);
  abandon_queue(found->queue);
  streams.remove(number(hStream));
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream hStream) { return cuStreamDestroy_v2(hStream); }

CUresult cuStreamSynchronize(CUstream hStream) {
  StreamState stream{};
  WorkMark mark{};
  const CUresult good = look_at(hStream, [&](const StreamState& found) {
    stream = found;
    mark = last_of(*found.queue);
    if (const CUresult code = check_waiting(found); code != CUDA_SUCCESS) return code;
    return fault_of(found);
  });
  if (good != CUDA_SUCCESS) return good;
  if (stream.id == kLegacyStream) {
    await_context(stream.context, QueueChoice::blocking);
  } else {
    await_work(mark);
  }
  const Locked lock;
  return fault_of(stream);
}

CUresult cuStreamQuery(CUstream hStream) {
  return look_at(hStream, [](const StreamState& found) {
    if (const CUresult code = check_waiting(found); code != CUDA_SUCCESS) return code;
    const CUresult fault = fault_of(found);
    if (fault != CUDA_SUCCESS) return fault;
    return is_busy(found, newest_work()) ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
  });
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
  if (Flags > 1) return CUDA_ERROR_INVALID_VALUE;
  const CUresult code = queue_wait(hStream, hEvent);
  if (code == CUDA_SUCCESS) hand_out_work();  // somebody looks whether another process has come there
  return code;
}

CUresult cuStreamGetFlags(CUstream hStream, unsigned int* flags) { return give(hStream, flags, &StreamState::flags); }
CUresult cuStreamGetPriority(CUstream hStream, int* priority) {
  if (priority == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return look_at(hStream, [priority](const StreamState& found) {
    *priority = found.queue->priority;
    return CUDA_SUCCESS;
  });
}
CUresult cuStreamGetCtx(CUstream hStream, CUcontext* pctx) { return give(hStream, pctx, &StreamState::context); }
// Of a stream with a green context the primary one, and that.
CUresult cuStreamGetCtx_v2(CUstream hStream, CUcontext* pCtx, CUgreenCtx* pGreenCtx) {
  if (pCtx == nullptr || pGreenCtx == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return look_at(hStream, [&](const StreamState& found) {
    *pCtx = found.context;
    *pGreenCtx = found.green;
    return CUDA_SUCCESS;
  });
}
CUresult cuStreamGetId(CUstream hStream, unsigned long long* streamId) {
  return give(hStream, streamId, &StreamState::id);
}

CUresult cuStreamGetDevice(CUstream hStream, CUdevice* device) {
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return look_at(hStream, [&](const StreamState& found) {
    const Context* context = find_context(found.context);
    if (context == nullptr) return no_context(found.context);
    *device = static_cast<CUdevice>(context->device);
    return CUDA_SUCCESS;
  });
}

}  // namespace hooks
}  // namespace nvmlab::cuda
