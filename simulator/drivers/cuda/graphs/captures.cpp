// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/graphs/captures.hpp"

#include "drivers/cuda/contexts/thread_contexts.hpp"
#include "drivers/cuda/graphs/conditions.hpp"
#include "drivers/cuda/streams/work_items.hpp"

namespace nvmlab::cuda {
namespace {

constinit Pool<CaptureState, ObjectKind::capture> captures;
std::uint64_t last_capture_id = 0;

// Calls each(queue) with the queues that a capture has.
template <class Each>
void for_queues_of(std::uint64_t capture, const Each& each) {
  streams.for_each([&](const StreamState& stream) {
    if (stream.queue->capture.of == capture) each(*stream.queue);
  });
}

CUresult add_to_tail(CaptureTail& tail, CUgraphNode node, const CUgraphEdgeData& data, CUgraph graph) {
  for (std::uint32_t i = 0; i < tail.count; ++i) {
    if (tail.last[i] != node) continue;
    if (!is_plain(data)) tail.data[i] = {};  // the stricter of two edges
    return CUDA_SUCCESS;
  }
  if (tail.count == CaptureTail::kMost) {  // they meet in a node that does nothing
    CUgraphNode meeting = nullptr;
    CUresult code = add_node(graph, WorkType::empty, &meeting);
    if (code == CUDA_SUCCESS) code = depend_on(graph, meeting, tail.last, tail.count, tail.data);
    if (code != CUDA_SUCCESS) return code;
    tail.last[0] = meeting;
    tail.data[0] = {};
    tail.count = 1;
  }
  tail.data[tail.count] = data;
  tail.last[tail.count++] = node;
  return CUDA_SUCCESS;
}

// Whether all that was captured in another stream comes before the end of the first one.
bool is_joined(const WorkQueue& queue, const CaptureState& capture) {
  const CaptureTail& tail = capture.origin->capture;
  for (std::uint32_t i = 0; i < queue.capture.count; ++i) {
    bool before = false;
    for (std::uint32_t end = 0; end < tail.count && !before; ++end) {
      mark_ancestors(capture.graph, tail.last[end]);
      before = find_node(queue.capture.last[i])->marked;
    }
    if (!before) return false;
  }
  return true;
}

bool all_joined(std::uint64_t handle, const CaptureState& capture) {
  bool joined = true;
  for_queues_of(handle, [&](const WorkQueue& queue) {
    if (&queue != capture.origin) joined = joined && is_joined(queue, capture);
  });
  return joined;
}

void drop_capture(std::uint64_t handle) {
  for_queues_of(handle, [](WorkQueue& queue) { queue.capture = {}; });
  captures.remove(handle);
}

}  // namespace

CaptureState* find_capture(const CaptureTail& tail) { return captures.find(tail.of); }

CUresult begin_capture(const StreamState& stream, CaptureMode mode, CUgraph graph, const Dependencies& behind) {
  if (stream.id == kLegacyStream) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream.queue->capture.of != 0) return CUDA_ERROR_ILLEGAL_STATE;
  CUgraph into = graph;
  if (graph == nullptr) {
    if (const CUresult code = create_graph(&into); code != CUDA_SUCCESS) return code;
  }
  std::uint64_t handle = 0;
  CaptureState* const made = captures.create(&handle);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *made = {into, stream.queue, thread_number(), ++last_capture_id, mode, graph != nullptr, false};
  CaptureTail& tail = stream.queue->capture;
  tail = {};
  tail.of = handle;
  for (std::size_t i = 0; i < behind.count; ++i) {
    const CUgraphEdgeData data = behind.data == nullptr ? CUgraphEdgeData{} : behind.data[i];
    if (const CUresult code = add_to_tail(tail, behind.nodes[i], data, into); code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

CUresult end_capture(const StreamState& stream, CUgraph* out) {
  const std::uint64_t handle = stream.queue->capture.of;
  const CaptureState* const found = captures.find(handle);
  if (out == nullptr && (found == nullptr || !found->given)) return CUDA_ERROR_INVALID_VALUE;
  CUgraph nobody = nullptr;
  CUgraph* const graph = out == nullptr ? &nobody : out;
  *graph = nullptr;
  if (found == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  if (found->origin != stream.queue) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  if (found->mode != CaptureMode::relaxed && found->thread != thread_number())
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  const CaptureState ended = *found;
  CUresult code = CUDA_SUCCESS;
  if (ended.invalid) {
    code = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  } else if (!all_joined(handle, ended)) {
    code = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  }
  drop_capture(handle);
  if (code == CUDA_SUCCESS) {
    *graph = ended.graph;
  } else if (!ended.given) {
    destroy_graph(ended.graph);
  }
  return code;
}

bool is_captured(CUgraph graph) {
  return captures.find_where([graph](const CaptureState& capture) {
    CUgraph each = capture.graph;
    while (each != nullptr && each != graph)
      each = find_graph(each)->parent;
    return each != nullptr;
  }) != nullptr;
}

bool is_captured(const GraphNodeState& node) {
  if (captures.find_where([&](const CaptureState& each) { return each.graph == node.graph; }) != nullptr) return true;
  if (node.child != nullptr) return is_captured(node.child);
  const bool conditional = node.item != nullptr && node.item->work.type == WorkType::conditional;
  for (std::uint32_t i = 0; conditional && i < body_count(*node.item); ++i) {
    if (is_captured(reinterpret_cast<CUgraph>(bodies_of(*node.item)[i]))) return true;
  }
  return false;
}

CUresult capture_item(WorkQueue& queue, WorkItem* item) {
  const CaptureState* const capture = find_capture(queue.capture);
  if (capture == nullptr || capture->invalid || find_graph(capture->graph) == nullptr) {
    release_item(item);
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  }
  CUgraphNode made = nullptr;
  CUresult code = add_node(capture->graph, item, &made);
  if (code == CUDA_SUCCESS) {
    find_node(made)->priority = queue.priority;
    code = depend_on(capture->graph, made, queue.capture.last, queue.capture.count, queue.capture.data);
  }
  if (code != CUDA_SUCCESS) return code;
  queue.capture.last[0] = made;
  queue.capture.data[0] = {};
  queue.capture.count = 1;
  return CUDA_SUCCESS;
}

CUresult join_capture(WorkQueue& queue, const CaptureTail& tail) {
  const CaptureState* const capture = find_capture(tail);
  if (capture == nullptr) return refuse_captured(queue, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  if (queue.capture.of == 0) queue.capture.of = tail.of;
  if (queue.capture.of != tail.of) return refuse_captured(queue, CUDA_ERROR_STREAM_CAPTURE_MERGE);
  for (std::uint32_t i = 0; i < tail.count; ++i) {
    if (find_node(tail.last[i]) == nullptr) continue;
    const CUresult code = add_to_tail(queue.capture, tail.last[i], tail.data[i], capture->graph);
    if (code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

void leave_capture(WorkQueue& queue) {
  CaptureState* const capture = find_capture(queue.capture);
  if (capture != nullptr) {
    const bool joined = capture->origin != &queue && !capture->invalid && is_joined(queue, *capture);
    capture->invalid = !joined;
    if (capture->origin == &queue) {
      if (!capture->given) destroy_graph(capture->graph);
      drop_capture(queue.capture.of);
    }
  }
  queue.capture = {};
}

void leave_captures_of(CUcontext context) {
  streams.for_each([context](const StreamState& stream) {
    if (stream.context == context) leave_capture(*stream.queue);
  });
}

void leave_captures_of_thread(std::uint64_t thread) {
  streams.for_each([thread](const StreamState& stream) {
    if (thread != 0 && stream.thread == thread) leave_capture(*stream.queue);
  });
}

CUresult refuse_captured(const WorkQueue& queue, CUresult code) {
  if (CaptureState* capture = find_capture(queue.capture)) capture->invalid = true;
  return code;
}

CUresult check_implicit(const WorkQueue& legacy) {
  const StreamState* const found = streams.find_where([&](const StreamState& stream) {
    return stream.context == legacy.context && stream.queue->blocking && stream.queue->capture.of != 0;
  });
  return found == nullptr ? CUDA_SUCCESS : refuse_captured(*found->queue, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
}

CUresult check_context(CUcontext context) {
  const StreamState* const found = streams.find_where(
      [&](const StreamState& stream) { return stream.context == context && stream.queue->capture.of != 0; });
  return found == nullptr ? CUDA_SUCCESS : refuse_captured(*found->queue, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

CUresult check_unsafe() {
  const ThreadContexts* const own = thread_contexts();
  const auto mode = own == nullptr ? CaptureMode::global : static_cast<CaptureMode>(own->capture_mode);
  if (mode == CaptureMode::relaxed) return CUDA_SUCCESS;
  CaptureState* const found = captures.find_where([&](const CaptureState& capture) {
    if (capture.mode == CaptureMode::relaxed) return false;
    if (capture.thread == thread_number()) return true;
    return capture.mode == CaptureMode::global && mode == CaptureMode::global;
  });
  if (found == nullptr) return CUDA_SUCCESS;
  found->invalid = true;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

}  // namespace nvmlab::cuda
