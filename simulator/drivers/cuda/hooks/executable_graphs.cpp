// SPDX-License-Identifier: Apache-2.0
// Graphs that can be launched: the work of all nodes, in an order that the edges allow. A launch puts it into the queue
// of its stream. Tests: tests/drivers/cuda/graphs_test.cpp.
#include "drivers/cuda/graphs/executables.hpp"

#include "drivers/cuda/graphs/captures.hpp"
#include "drivers/cuda/graphs/graph_calls.hpp"
#include "drivers/cuda/graphs/graph_memory.hpp"
#include "drivers/cuda/graphs/submit.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/hooks/stream_guard.hpp"
#include "drivers/cuda/memory/graph_footprints.hpp"
#include "drivers/cuda/memory/stream_words.hpp"
#include "drivers/cuda/modules/kernel_work.hpp"
#include "drivers/cuda/modules/modules.hpp"
#include "drivers/cuda/streams/stream_objects.hpp"
#include "drivers/cuda/streams/user_objects.hpp"
#include "drivers/cuda/streams/work_items.hpp"
#include "drivers/cuda/streams/work_threads.hpp"

namespace nvmlab::cuda {
namespace {

CUresult instantiate(CUgraphExec* out, CUgraph graph, std::uint64_t flags) {
  constexpr std::uint64_t kKnownFlags = 15;
  constexpr std::uint64_t kFreeOnLaunch = 1;
  constexpr std::uint64_t kDeviceLaunch = 4;
  constexpr std::uint64_t kBoth = kFreeOnLaunch | kDeviceLaunch;  // which cuda.h excludes
  if (out == nullptr || (flags & ~kKnownFlags) != 0 || (flags & kBoth) == kBoth) return CUDA_ERROR_INVALID_VALUE;
  if ((flags & kDeviceLaunch) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  const Locked lock;
  if (in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  if (find_graph(graph) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return create_executable(graph, flags, out);
}

template <class Body>
CUresult with_item(CUgraphExec executable, CUgraphNode node, const Body& body) {
  return with_executable(executable, [&](ExecutableState& found) {
    const GraphNodeState* const state = find_node(node);
    WorkItem** const place = state == nullptr ? nullptr : item_of(found, *state);
    if (place == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const WorkType type = (*place)->work.type;
    if (type != WorkType::kernel && type != WorkType::copy && type != WorkType::fill) return CUDA_ERROR_INVALID_VALUE;
    body(**place);
    return CUDA_SUCCESS;
  });
}

// Until it is launched, a kernel's grid may have no blocks: some programs set all grids before each launch.
CUresult check_grids(const ExecutableState& executable) {
  for (const WorkItem* each = executable.first; each != nullptr; each = each->next) {
    if (!each->disabled && !has_blocks(*each)) return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

// In a default stream: behind what the default streams of its kernels' contexts have been given too, which CUDA does
// not say. A GPU has done that in the time that a launch takes, so programs that forget which context is current never
// lose this race there (tinygrad, when it copies between GPUs); here a kernel takes a thousand times as long.
CUresult wait_for_contexts(const ExecutableState& executable, WorkQueue& queue) {
  for (const WorkItem* each = executable.first; each != nullptr; each = each->next) {
    if (each->disabled || each->work.type != WorkType::kernel) continue;
    const FunctionState* const function = find_function(static_cast<const QueuedLaunch*>(payload_of(*each))->function);
    const ModuleState* const module = function == nullptr ? nullptr : find_module(function->module);
    const Context* const context = module == nullptr ? nullptr : find_context(module->context);
    if (context == nullptr || context->legacy == nullptr || context->legacy == &queue) continue;
    if (const CUresult code = submit_wait(queue, last_of(*context->legacy)); code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

// Behind the launch before, wherever that was, and with the memory that it allocates.
CUresult begin_launch(const ExecutableState& executable, WorkQueue& queue, WorkMark* mark) {
  if (const CUresult code = check_grids(executable); code != CUDA_SUCCESS) return code;
  if (queue.capture.of != 0)
    return executable.has_memory || executable.has_conditions
               ? refuse_captured(queue, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
               : CUDA_SUCCESS;
  CUresult code = submit_wait(queue, executable.launched);
  if (code == CUDA_SUCCESS && find_context(queue.context)->legacy == &queue)
    code = wait_for_contexts(executable, queue);
  return code == CUDA_SUCCESS && executable.has_memory ? begin_allocations(executable, queue, mark) : code;
}

// Does in a queue what an item of an executable graph is for.
CUresult launch_item(WorkQueue& queue, const WorkItem& item, WorkMark* mark) {
  if (item.work.type == WorkType::record || item.work.type == WorkType::wait) {
    const CUevent event = *static_cast<const CUevent*>(payload_of(item));
    return item.work.type == WorkType::record ? record_event(event, queue, mark) : wait_for_event(event, queue);
  }
  if (item.work.type == WorkType::allocate) return CUDA_SUCCESS;  // it has begun
  if (item.work.type == WorkType::release)
    return submit_free(queue, static_cast<const NodeFree*>(payload_of(item))->address, mark);
  if (item.work.type == WorkType::words && queue.capture.of == 0) {
    const auto& of = *static_cast<const NodeOperations*>(payload_of(item));
    return submit_operations(queue, operations_in(item), of.count, mark);
  }
  WorkItem* const copy = copy_item(item);
  return copy == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : submit(queue, copy, mark);
}

CUresult queue_launch(CUgraphExec handle, CUstream stream, WorkMark* mark) {
  const StreamGuard guard(stream);
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  ExecutableState* const found = find_executable(handle);
  if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult code = begin_launch(*found, guard.queue(), mark); code != CUDA_SUCCESS) return code;
  for (const WorkItem* each = found->first; each != nullptr; each = each->next) {
    if (each->disabled) continue;
    if (const CUresult code = launch_item(guard.queue(), *each, mark); code != CUDA_SUCCESS) return code;
  }
  if (guard.is_captured()) return CUDA_SUCCESS;
  found->launched = last_of(guard.queue());
  if (found->has_memory) hold_footprints({found->id, found->launched});
  return CUDA_SUCCESS;
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
  bool in_use = false;  // what runs looks into the bodies of conditional nodes
  CUresult code = with_executable(hGraphExec, [&](const ExecutableState& state) {
    in_use = state.has_conditions;
    if (!in_use) destroy_executable(hGraphExec);
    return CUDA_SUCCESS;
  });
  if (in_use)
    code = while_idle([hGraphExec] {
      if (find_executable(hGraphExec) == nullptr) return CUDA_ERROR_INVALID_VALUE;
      destroy_executable(hGraphExec);
      return CUDA_SUCCESS;
    });
  destroy_user_objects();
  return code;
}

CUresult cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t* flags) {
  if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_executable(hGraphExec, [flags](const ExecutableState& state) {
    *flags = state.flags;
    return CUDA_SUCCESS;
  });
}

// Of kernels, copies and fills alone.
CUresult cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled) {
  return with_item(hGraphExec, hNode, [isEnabled](WorkItem& item) { item.disabled = isEnabled == 0; });
}
CUresult cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int* isEnabled) {
  if (isEnabled == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_item(hGraphExec, hNode, [isEnabled](const WorkItem& item) { *isEnabled = item.disabled ? 0 : 1; });
}

CUresult cuGraphLaunch(CUgraphExec hGraph, CUstream hStream) {
  WorkMark mark{};
  const CUresult code = queue_launch(hGraph, hStream, &mark);
  // What was asked for before something was refused is done, too, and nobody else tells the threads of it.
  if (code != CUDA_SUCCESS && mark.queue == nullptr) return code;
  const CUresult left = leave(mark, Leave::to_threads);
  return code == CUDA_SUCCESS ? left : code;
}

// The answer is one of CUgraphExecUpdateResult: 2 where edges differ, 3 where the types of nodes do, 5 where memory is
// another's, 6 with conditional nodes.
CUresult cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphExecUpdateResultInfo* resultInfo) {
  if (resultInfo == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *resultInfo = {1, nullptr, nullptr};
  const Locked lock;
  if (in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  ExecutableState* const found = find_executable(hGraphExec);
  if (found == nullptr || find_graph(hGraph) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const GraphShape shape = shape_of(hGraph);
  if (shape.edges != found->shape.edges || shape.types != found->shape.types) {
    resultInfo->result = shape.edges != found->shape.edges ? 2 : 3;
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  }
  if (found->has_conditions) {
    resultInfo->result = 6;
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  }
  const bool moved = find_graph(hGraph)->moved;
  if (moved || (found->has_memory && hGraph != found->graph)) {
    resultInfo->result = 5;
    return moved ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  }
  const CUresult code = replace_all(*found, hGraph);
  if (code == CUDA_SUCCESS) resultInfo->result = 0;
  return code;
}
CUresult cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode* hErrorNode_out,
                           CUgraphExecUpdateResult* updateResult_out) {
  CUgraphExecUpdateResultInfo info{};
  const CUresult code = cuGraphExecUpdate_v2(hGraphExec, hGraph, &info);
  if (hErrorNode_out != nullptr) *hErrorNode_out = info.errorNode;
  if (updateResult_out != nullptr) *updateResult_out = info.result;
  return code;
}

CUresult cuGraphUpload(CUgraphExec hGraph, CUstream hStream) {
  const StreamGuard guard(hStream);
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  return find_executable(hGraph) == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::cuda
