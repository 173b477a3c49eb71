// SPDX-License-Identifier: Apache-2.0
//
// Capture: what a stream is asked for becomes nodes of a graph instead. A stream that waits for an event of a capture
// joins it; whatever cannot be captured invalidates it. Under the lock of the process. Tests:
// tests/drivers/cuda/capture_test.cpp.
#pragma once

#include "drivers/cuda/graphs/graphs.hpp"
#include "drivers/cuda/streams/stream_objects.hpp"

namespace nvmlab::cuda {

enum class CaptureMode : std::int32_t { global, thread, relaxed };

struct CaptureState {
  CUgraph graph;
  WorkQueue* origin;
  std::uint64_t thread;  // that began it
  std::uint64_t id;
  CaptureMode mode;
  bool given;    // the graph is the program's
  bool invalid;  // something was asked for that cannot be captured
};

CaptureState* find_capture(const CaptureTail& tail);

struct Dependencies {
  const CUgraphNode* nodes;
  const CUgraphEdgeData* data;  // null: plain edges
  std::size_t count;
};
// Into a graph of its own, or into one that is there, behind these nodes.
CUresult begin_capture(const StreamState& stream, CaptureMode mode, CUgraph graph, const Dependencies& behind);
// `graph` may be null where the program has it already.
CUresult end_capture(const StreamState& stream, CUgraph* graph);

// Whether streams are captured into this graph or one within it, or into what a node belongs to or holds: neither may
// go then, as the streams depend on nodes there.
bool is_captured(CUgraph graph);
bool is_captured(const GraphNodeState& node);

// Makes an item the next node of a queue that is captured. Takes the item, even if it fails.
CUresult capture_item(WorkQueue& queue, WorkItem* item);
// What comes after in this queue depends on these too; a queue that was not captured is from now on.
CUresult join_capture(WorkQueue& queue, const CaptureTail& tail);
// Of a queue whose stream goes: ends its capture, or invalidates that of another which has not waited for it.
void leave_capture(WorkQueue& queue);
// The same of all streams of a context, and of the per-thread streams of a thread; 0: of none.
void leave_captures_of(CUcontext context);
void leave_captures_of_thread(std::uint64_t thread);

// What a queue that is captured cannot be asked for: invalidates the capture.
CUresult refuse_captured(const WorkQueue& queue, CUresult code);
// CUDA_ERROR_STREAM_CAPTURE_IMPLICIT where the legacy stream would have to wait for a stream that is captured.
CUresult check_implicit(const WorkQueue& legacy);
// A call that waits for a whole context, which no capture in it stands.
CUresult check_context(CUcontext context);
// A call that is not safe beside captures, by their modes and that of the thread.
CUresult check_unsafe();

}  // namespace nvmlab::cuda
