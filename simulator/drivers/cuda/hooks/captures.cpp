// SPDX-License-Identifier: Apache-2.0
// Capture of streams into graphs. Tests: tests/drivers/cuda/capture_test.cpp.
#include "drivers/cuda/graphs/captures.hpp"

#include "drivers/cuda/contexts/thread_contexts.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/hooks/stream_guard.hpp"

namespace nvmlab::cuda {
namespace {

constexpr int kLastMode = 2;
constexpr int kActive = 1;
constexpr int kInvalidated = 2;

CUresult begin(CUstream stream, CUstreamCaptureMode mode, CUgraph graph, const Dependencies& behind) {
  if (mode < 0 || mode > kLastMode || (behind.count > 0 && behind.nodes == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  const StreamGuard guard(stream);
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  for (size_t i = 0; i < behind.count; ++i) {
    const GraphNodeState* node = find_node(behind.nodes[i]);
    if (node == nullptr || node->graph != graph) return CUDA_ERROR_INVALID_VALUE;
  }
  return begin_capture(guard.stream(), static_cast<CaptureMode>(mode), graph, behind);
}

struct CaptureInfo {
  CUstreamCaptureStatus* status;
  cuuint64_t* id;
  CUgraph* graph;
  const CUgraphNode** dependencies;
  size_t* count;
  const CUgraphEdgeData** data;
};

bool has_data(const CaptureTail& tail) {
  bool any = false;
  for (std::uint32_t i = 0; i < tail.count; ++i)
    any = any || !is_plain(tail.data[i]);
  return any;
}

// The dependencies lie where the queue has them, which stays until the next call that changes them.
CUresult tell(CUstream stream, const CaptureInfo& out) {
  if (out.status == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const StreamGuard guard(stream);
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  if (guard.stream().id == kLegacyStream) {
    if (const CUresult code = check_implicit(guard.queue()); code != CUDA_SUCCESS) return code;
  }
  const CaptureTail& tail = guard.queue().capture;
  const CaptureState* const capture = find_capture(tail);
  *out.status = capture == nullptr ? 0 : capture->invalid ? kInvalidated : kActive;
  if (*out.status != kActive) return CUDA_SUCCESS;
  if (out.dependencies != nullptr && out.data == nullptr && has_data(tail)) return CUDA_ERROR_LOSSY_QUERY;
  if (out.data != nullptr) *out.data = tail.data;
  if (out.id != nullptr) *out.id = capture->id;
  if (out.graph != nullptr) *out.graph = capture->graph;
  if (out.dependencies != nullptr) *out.dependencies = tail.last;
  if (out.count != nullptr) *out.count = tail.count;
  return CUDA_SUCCESS;
}

CUresult update(CUstream stream, const Dependencies& behind, unsigned flags) {
  constexpr unsigned kSet = 1;
  if (flags > kSet || (behind.count > 0 && behind.nodes == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  const StreamGuard guard(stream);
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  CaptureTail& tail = guard.queue().capture;
  const CaptureState* const capture = find_capture(tail);
  if (capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  CaptureTail added{};
  added.of = tail.of;
  if (behind.count > CaptureTail::kMost) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < behind.count; ++i) {
    const GraphNodeState* node = find_node(behind.nodes[i]);
    if (node == nullptr || node->graph != capture->graph) return CUDA_ERROR_INVALID_VALUE;
    if (behind.data != nullptr) added.data[i] = behind.data[i];
    added.last[added.count++] = behind.nodes[i];
  }
  if (flags == kSet) tail.count = 0;
  return join_capture(guard.queue(), added);
}

}  // namespace

namespace hooks {

CUresult cuStreamBeginCapture(CUstream hStream) { return begin(hStream, 0, nullptr, {}); }
CUresult cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode) {
  return begin(hStream, mode, nullptr, {});
}
CUresult cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph, const CUgraphNode* dependencies,
                                     const CUgraphEdgeData* dependencyData, size_t numDependencies,
                                     CUstreamCaptureMode mode) {
  {
    const Locked lock;
    if (find_graph(hGraph) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  }
  return begin(hStream, mode, hGraph, {dependencies, dependencyData, numDependencies});
}

CUresult cuStreamEndCapture(CUstream hStream, CUgraph* phGraph) {
  const StreamGuard guard(hStream);
  return guard.code() == CUDA_SUCCESS ? end_capture(guard.stream(), phGraph) : guard.code();
}

CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus* captureStatus) {
  return tell(hStream, {captureStatus, nullptr, nullptr, nullptr, nullptr, nullptr});
}
CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus* captureStatus_out, cuuint64_t* id_out) {
  return tell(hStream, {captureStatus_out, id_out, nullptr, nullptr, nullptr, nullptr});
}
CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus* captureStatus_out, cuuint64_t* id_out,
                                   CUgraph* graph_out, const CUgraphNode** dependencies_out,
                                   size_t* numDependencies_out) {
  return tell(hStream, {captureStatus_out, id_out, graph_out, dependencies_out, numDependencies_out, nullptr});
}
CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus* captureStatus_out, cuuint64_t* id_out,
                                   CUgraph* graph_out, const CUgraphNode** dependencies_out,
                                   const CUgraphEdgeData** edgeData_out, size_t* numDependencies_out) {
  return tell(hStream, {captureStatus_out, id_out, graph_out, dependencies_out, numDependencies_out, edgeData_out});
}

CUresult cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode* dependencies, size_t numDependencies,
                                           unsigned int flags) {
  return update(hStream, {dependencies, nullptr, numDependencies}, flags);
}
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode* dependencies,
                                              const CUgraphEdgeData* dependencyData, size_t numDependencies,
                                              unsigned int flags) {
  return update(hStream, {dependencies, dependencyData, numDependencies}, flags);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  if (mode == nullptr || *mode < 0 || *mode > kLastMode) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  ThreadContexts* const own = thread_contexts();
  if (own == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUstreamCaptureMode before = own->capture_mode;
  own->capture_mode = *mode;
  *mode = before;
  return CUDA_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::cuda
