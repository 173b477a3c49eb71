// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/graphs/submit.hpp"

#include "drivers/cuda/graphs/captures.hpp"
#include "drivers/cuda/memory/allocation_table.hpp"
#include "drivers/cuda/memory/stream_words.hpp"
#include "drivers/cuda/streams/shared_events.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::cuda {
namespace {

std::uint64_t number_of(CUevent handle) { return reinterpret_cast<std::uint64_t>(handle); }

struct Record {
  std::uint64_t event;
  std::uint32_t number;  // a later record of the same event has another
  std::uint64_t shared;
  SharedRecord record;
};

CUresult take_time(void* payload, CUresult) {
  const auto& asked = *static_cast<const Record*>(payload);
  const Locked lock;
  EventState* event = events.find(asked.event);
  if (event != nullptr && event->records == asked.number) event->time_ns = sys::monotonic_ns();
  if (asked.shared != 0) end_shared_record(asked.shared, asked.record);
  return CUDA_SUCCESS;
}

CUresult run_free(void* payload, CUresult) {
  const std::uint64_t address = *static_cast<const std::uint64_t*>(payload);
  const Locked lock;
  release_queued_allocation(address);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult submit(WorkQueue& queue, WorkItem* item, WorkMark* mark) {
  *mark = {};
  if (queue.capture.of != 0) return capture_item(queue, item);
  if (find_context(queue.context)->legacy == &queue) {
    if (const CUresult code = check_implicit(queue); code != CUDA_SUCCESS) {
      release_item(item);
      return code;
    }
  }
  return enqueue(queue, item, mark);
}

CUresult submit_operations(WorkQueue& queue, const CUstreamBatchMemOpParams* operations, std::uint32_t count,
                           WorkMark* mark) {
  for (std::uint32_t i = 0; i < count; ++i) {
    WorkItem* item = nullptr;
    CUresult code = make_operation(operations[i], &item);
    if (code == CUDA_SUCCESS && item != nullptr) code = submit(queue, item, mark);
    if (code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

CUresult submit_free(WorkQueue& queue, std::uint64_t address, WorkMark* mark) {
  const CUresult code = submit(queue, {run_free, nullptr, true, WorkType::empty}, address, mark);
  if (code != CUDA_SUCCESS) return code;
  const std::uint32_t at = behind(address);
  if (at > 0 && allocation_at(at - 1).address == address) allocation_at(at - 1).leaving = true;
  return CUDA_SUCCESS;
}

CUresult record_event(CUevent handle, WorkQueue& queue, WorkMark* mark) {
  EventState* const event = events.find(number_of(handle));
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  event->capture = queue.capture;
  if (event->capture.of != 0) return CUDA_SUCCESS;
  const std::uint64_t shared = event->shared;
  const Record record{number_of(handle), ++event->records, shared, shared == 0 ? 0 : begin_shared_record(shared)};
  const CUresult code = submit(queue, {take_time, nullptr, true, WorkType::empty}, record, mark);
  if (code == CUDA_SUCCESS) {
    event->mark = *mark;
  } else if (shared != 0) {
    end_shared_record(shared, record.record);
  }
  return code;
}

CUresult wait_for_event(CUevent handle, WorkQueue& queue) {
  const EventState* const event = events.find(number_of(handle));
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (event->capture.of != 0 || queue.capture.of != 0) return join_capture(queue, event->capture);
  if (event->shared == 0) return submit_wait(queue, event->mark);
  WorkItem* item = nullptr;
  CUresult code = make_shared_wait(event->shared, &item);
  WorkMark mark{};
  if (code == CUDA_SUCCESS) code = submit(queue, item, &mark);
  if (code == CUDA_SUCCESS) hold_shared_event(event->shared);
  return code;
}

}  // namespace nvmlab::cuda
