// SPDX-License-Identifier: Apache-2.0
// Graphs that can be launched: the work of all nodes, in an order that the edges allow. A launch puts it into the queue
// of its stream. Tests: tests/drivers/cuda/graphs_test.cpp.
#include "drivers/cuda/generated/hooks.hpp"
#include "drivers/cuda/graphs.hpp"
#include "drivers/cuda/streams.hpp"
#include "drivers/cuda/work_items.hpp"

namespace nvmlab::cuda {
namespace {

struct ExecutableState {
  WorkItem* first;
  WorkItem* last;
  std::uint64_t flags;
};

constinit Pool<ExecutableState, ObjectKind::executable_graph> executables;

std::uint64_t number_of(CUgraphExec handle) { return reinterpret_cast<std::uint64_t>(handle); }

void release(ExecutableState& executable) {
  while (executable.first != nullptr) {
    WorkItem* const gone = executable.first;
    executable.first = gone->next;
    release_item(gone);
  }
}

CUresult append(ExecutableState& to, const WorkItem& from) {
  WorkItem* const made = create_item(from.size);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  made->work = from.work;
  std::memcpy(payload_of(*made), payload_of(from), from.size);
  (to.last == nullptr ? to.first : to.last->next) = made;
  to.last = made;
  return CUDA_SUCCESS;
}

// Child graphs are not deep (cuGraphAddChildGraphNode).
CUresult append_all(ExecutableState& to, CUgraph graph) {
  count_waits(graph);
  for (CUgraphNode each = take_next(graph, nullptr); each != nullptr; each = take_next(graph, each)) {
    const GraphNodeState& node = *find_node(each);
    CUresult code = CUDA_SUCCESS;
    if (node.child != nullptr) code = append_all(to, node.child);
    if (code == CUDA_SUCCESS && node.item != nullptr) code = append(to, *node.item);
    if (code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

CUresult instantiate(CUgraphExec* out, CUgraph graph, std::uint64_t flags) {
  constexpr std::uint64_t kKnownFlags = 15;
  constexpr std::uint64_t kDeviceLaunch = 4;
  if (out == nullptr || (flags & ~kKnownFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
  if ((flags & kDeviceLaunch) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  const Locked lock;
  if (in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  if (find_graph(graph) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::uint64_t handle = 0;
  ExecutableState* const made = executables.create(&handle);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  made->flags = flags;
  if (const CUresult code = append_all(*made, graph); code != CUDA_SUCCESS) {
    release(*made);
    executables.remove(handle);
    return code;
  }
  *out = reinterpret_cast<CUgraphExec>(handle);
  return CUDA_SUCCESS;
}

CUresult submit_copy(WorkQueue& queue, const WorkItem& item, WorkMark* mark) {
  return submit(
      queue, item.work, item.size, mark,
      [](void* payload, const void* from) {
        const auto& of = *static_cast<const WorkItem*>(from);
        std::memcpy(payload, payload_of(of), of.size);
        return CUDA_SUCCESS;
      },
      &item);
}

}  // namespace

namespace hooks {

CUresult cuGraphInstantiateWithFlags(CUgraphExec* phGraphExec, CUgraph hGraph, unsigned long long flags) {
  return instantiate(phGraphExec, hGraph, flags);
}
CUresult cuGraphInstantiate_v2(CUgraphExec* phGraphExec, CUgraph hGraph, CUgraphNode* phErrorNode, char* logBuffer,
                               size_t bufferSize) {
  if (phErrorNode != nullptr) *phErrorNode = nullptr;
  if (logBuffer != nullptr && bufferSize > 0) logBuffer[0] = '\0';
  return instantiate(phGraphExec, hGraph, 0);
}
CUresult cuGraphInstantiate(CUgraphExec* phGraphExec, CUgraph hGraph, CUgraphNode* phErrorNode, char* logBuffer,
                            size_t bufferSize) {
  return cuGraphInstantiate_v2(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
}
CUresult cuGraphInstantiateWithParams(CUgraphExec* phGraphExec, CUgraph hGraph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* instantiateParams) {
  if (instantiateParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult code = instantiate(phGraphExec, hGraph, instantiateParams->flags);
  instantiateParams->hErrNode_out = nullptr;
  instantiateParams->result_out = code == CUDA_SUCCESS ? 0 : 1;
  return code;
}

CUresult cuGraphExecDestroy(CUgraphExec hGraphExec) {
  const Locked lock;
  ExecutableState* const found = executables.find(number_of(hGraphExec));
  if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  release(*found);
  executables.remove(number_of(hGraphExec));
  return CUDA_SUCCESS;
}

CUresult cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t* flags) {
  if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  const ExecutableState* const found = executables.find(number_of(hGraphExec));
  if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *flags = found->flags;
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec hGraph, CUstream hStream) {
  WorkMark mark{};
  const CUresult code = with_stream(hStream, [&](const Context&, const StreamState& stream) {
    const ExecutableState* const found = executables.find(number_of(hGraph));
    if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (const WorkItem* each = found->first; each != nullptr; each = each->next) {
      if (const CUresult submitted = submit_copy(*stream.queue, *each, &mark); submitted != CUDA_SUCCESS)
        return submitted;
    }
    return CUDA_SUCCESS;
  });
  return code == CUDA_SUCCESS ? leave(mark, Leave::to_threads) : code;
}

CUresult cuGraphUpload(CUgraphExec hGraph, CUstream hStream) {
  return with_stream(hStream, [&](const Context&, const StreamState&) {
    return executables.find(number_of(hGraph)) == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  });
}

}  // namespace hooks
}  // namespace nvmlab::cuda
